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
  /** How often each one was asked again after it had answered for the first time: what it had sent is done with. */
  askedLater(): Promise<readonly number[]>;
}

interface Counts {
  readonly asked: readonly number[];
  readonly later: readonly number[];
}

export async function hostileServer(t: Test): Promise<HostileServer> {
  const authority = await createAuthority('hostile');
  const { certificate: cert, key } = await issueServing(authority, ['127.0.0.1']);
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { cert, key } });
  t.teardown(() => worker.terminate());
  const [{ port }] = (await once(worker, 'message')) as [{ port: number }];
  async function counts(): Promise<Counts> {
    const answer = once(worker, 'message');
    worker.postMessage('asked');
    const [message] = (await answer) as [Counts];
    return message;
  }

  return {
    quiet: `https://127.0.0.1:${port}/${behaviours.length}`,
    url: behaviour => `https://127.0.0.1:${port}/${behaviour}`,
    authority: authority.certificate,
    asked: async () => (await counts()).asked,
    askedLater: async () => (await counts()).later,
  };
}
