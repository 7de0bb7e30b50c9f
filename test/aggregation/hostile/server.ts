import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Test } from 'tap';
import { createAuthority, issueServing } from '../../../authn/pki/authority.js';
import { behaviours } from './behaviours.js';

export interface HostileServer {
  /** Of a behaviour, by its number: everything below misbehaves so. */
  url(behaviour: number): string;
  /** Of a server as it should be. */
  readonly quiet: string;
  readonly authority: string;
  /** How often each behaviour was met. */
  asked(): Promise<readonly number[]>;
}

export async function hostileServer(t: Test): Promise<HostileServer> {
  const authority = await createAuthority('hostile');
  const { certificate: cert, key } = await issueServing(authority, ['127.0.0.1']);
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { cert, key } });
  t.teardown(() => worker.terminate());
  const [{ port }] = (await once(worker, 'message')) as [{ port: number }];
  return {
    quiet: `https://127.0.0.1:${port}/${behaviours.length}`,
    url: behaviour => `https://127.0.0.1:${port}/${behaviour}`,
    authority: authority.certificate,
    async asked() {
      const answer = once(worker, 'message');
      worker.postMessage('asked');
      const [message] = (await answer) as [{ asked: readonly number[] }];
      return message.asked;
    },
  };
}
