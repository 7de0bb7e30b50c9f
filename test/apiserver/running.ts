/** A whole server in this process, on a free port, with its own folder that is deleted after the test. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import type { ServerConfig } from '../../server/config.js';
import { silent } from '../../server/logger.js';
import { type RunningServer, startServer } from '../../server/start-server.js';
import { kubeconfig } from '../../authn/pki/kubeconfig.js';

export interface TestServer extends RunningServer {
  readonly directory: string;
  /** Path of a kubeconfig of system:admin. */
  readonly kubeconfig: string;
}

export async function temporaryFolder(t: Test): Promise<string> {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-test-'));
  t.teardown(() => fs.rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function runningServer(t: Test, config: Partial<ServerConfig> = {}): Promise<TestServer> {
  const directory = await temporaryFolder(t);
  const server = await startServer({
    profile: 'karmada',
    tokens: 'ES256', // for the time it saves
    listen: { host: '127.0.0.1', port: 0 },
    pkiDirectory: path.join(directory, 'pki'),
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    log: silent,
    shutdownTimeoutMs: 2000,
    ...config,
  });
  t.teardown(() => server.stop());
  const file = path.join(directory, 'kubeconfig');
  const { pki, url } = server;
  const user = { credential: pki.admin };
  const text = kubeconfig([{ name: 'test', server: url, authority: pki.authority.certificate, user }]);
  await fs.writeFile(file, text, { mode: 0o600 });
  return { ...server, directory, kubeconfig: file };
}
