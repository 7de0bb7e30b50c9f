/** The whole control plane as a process of its own, which is watched from inside while servers that it calls misbehave. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { Endpoint } from '../../../aggregation/interface.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { listening } from '../../cli/process.js';
import { converse, type Conversation } from '../../conformance/call.js';
import type { ProbeReport } from '../../loop-probe.js';
import { plainNode } from '../../plain-node.js';
import { type HostileServer, hostileServer } from './server.js';

const entry = fileURLToPath(new URL('../../../cli/flagship.js', import.meta.url));
const probe = new URL('../../loop-probe.js', import.meta.url).href;

export interface Scene {
  readonly server: Conversation;
  readonly hostile: HostileServer;
  /** The control plane, as its administrator reaches it. */
  readonly endpoint: Endpoint;
  /** What the process has to tell since it was asked before. */
  report(): Promise<ProbeReport>;
  /** The same, after a collection of garbage. */
  collect(): Promise<ProbeReport>;
  /** Sends an object; throws when it is refused. */
  create(path: string, object: object): Promise<void>;
  /** Joins a cluster at an address of the hostile server. */
  join(name: string, url: string): Promise<void>;
  /** Deletes a cluster; resolves when it is gone. */
  leave(name: string): Promise<void>;
}

/** Extra `flags` of `flagship up`. */
export async function startScene(t: Test, ...flags: readonly string[]): Promise<Scene> {
  const hostile = await hostileServer(t);
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-hostile-'));
  t.teardown(() => fs.rm(directory, { recursive: true, force: true }));
  const child = startProbed(['up', '--data-dir', directory, '--bind', '127.0.0.1:0', ...flags]);
  t.teardown(() => child.kill('SIGKILL'));
  await listening(child);
  child.stdout?.resume();
  const endpoint = kubeconfigEndpoint(path.join(directory, 'kubeconfig'));
  const server = converse(endpoint, 'test/1.0');
  t.teardown(() => server.close());

  async function ask(message: string): Promise<ProbeReport> {
    const answer = once(child, 'message');
    child.send(message);
    const [report] = (await answer) as [ProbeReport];
    return report;
  }

  async function create(where: string, object: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const { status, text } = await server.call('POST', where, { headers, body: JSON.stringify(object) });
    if (status !== 201) throw new Error(`POST ${where}: ${status} ${text}`);
  }

  const namespace = 'karmada-cluster';
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }).catch(
    () => undefined, // it may be there already
  );

  return {
    server,
    hostile,
    endpoint,
    create,
    report: () => ask('report'),
    collect: () => ask('collect'),
    async join(name, url) {
      const data = { token: base64('token'), caBundle: base64(hostile.authority) };
      const metadata = { name, namespace };
      await create(`/api/v1/namespaces/${namespace}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata, data });
      await create('/apis/cluster.karmada.io/v1alpha1/clusters', {
        apiVersion: 'cluster.karmada.io/v1alpha1',
        kind: 'Cluster',
        metadata: { name },
        spec: {
          ...{ syncMode: 'Push', apiEndpoint: url },
          ...{ secretRef: { namespace, name }, impersonatorSecretRef: { namespace, name } },
        },
      });
    },
    async leave(name) {
      const cluster = `/apis/cluster.karmada.io/v1alpha1/clusters/${name}`;
      await server.call('DELETE', cluster);
      while ((await server.call('GET', cluster)).status !== 404);
    },
  };
}

function startProbed(args: readonly string[]): ChildProcess {
  const [command, ...node] = plainNode;
  return spawn(command, [...node, '--expose-gc', '--import', probe, entry, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}
