/** A simulated member with the kubeconfig of its administrator. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'tap';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { pods } from '../../../api/kubernetes/resources.js';
import type { Pod } from '../../../openapi/gen/core-v1.js';
import type { RunningServer } from '../../../server/start-server.js';
import { silent } from '../../../server/logger.js';
import { startMember } from '../../../simulator/member.js';
import { temporaryFolder } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

export interface TestMember extends RunningServer {
  readonly directory: string;
  readonly kubeconfig: string;
  /** Creates a Pod and waits until it runs. */
  runPod(name: string, spec?: object, annotations?: Record<string, string>): Promise<Pod>;
}

/** Returns a kubeconfig file whose server may be another one, such as a proxy. */
export async function writeKubeconfig(directory: string, { pki, url }: RunningServer, server = url): Promise<string> {
  const file = path.join(directory, `kubeconfig-${encodeURIComponent(server).slice(-60)}`);
  const user = { credential: pki.admin };
  await fs.writeFile(file, kubeconfig([{ name: 'test', server, authority: pki.authority.certificate, user }]), {
    mode: 0o600,
  });
  return file;
}

export async function testMember(t: Test, name = 'm'): Promise<TestMember> {
  const directory = await temporaryFolder(t);
  const hardware = { nodes: 2, cpu: '8', memory: '16Gi', pods: '50' };
  const member = await startMember({ name, directory, host: '127.0.0.1', log: silent, hardware });
  t.teardown(() => member.stop());
  return {
    ...member,
    directory,
    kubeconfig: await writeKubeconfig(directory, member),
    async runPod(podName, spec = {}, annotations = {}) {
      const namespace = 'default';
      const containers = [{ name: 'main', image: 'busybox' }];
      const made = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: podName, namespace, annotations },
        spec: { containers, ...spec },
      };
      await member.client.create(pods, made);
      const get = async (): Promise<Pod> => await member.client.get(pods, { namespace, name: podName });
      await until(`Pod ${podName} runs`, async () => (await get()).status?.phase === 'Running');
      return get();
    },
  };
}
