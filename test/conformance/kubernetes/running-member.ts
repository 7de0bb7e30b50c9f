/** Starts a simulated member: an API server with the controllers that a control plane does not run, and simulated Pods. */
import type { Test } from 'tap';
import { silent } from '../../../server/logger.js';
import type { Hardware } from '../../../simulator/cluster/nodes.js';
import { startMember } from '../../../simulator/member.js';
import { temporaryFolder, type TestServer } from '../../apiserver/running.js';

export async function runningMember(t: Test, hardware: Partial<Hardware> = {}): Promise<TestServer> {
  const directory = await temporaryFolder(t);
  const server = await startMember({ name: 'm', directory, host: '127.0.0.1', log: silent, hardware });
  t.teardown(() => server.stop());
  return { ...server, directory, kubeconfig: '' };
}
