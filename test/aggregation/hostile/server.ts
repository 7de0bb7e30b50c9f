import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Test } from 'tap';
import { createAuthority, issueServing } from '../../../authn/pki/authority.js';

/** The number in the URL of a regular member. */
const quiet = 1000;

export interface HostileServer {
  /** Returns the URL below which the server misbehaves; the argument is the index in `behaviours`. */
  url(behaviour: number): string;
  /** The URL below which the server behaves as a regular member. */
  readonly quiet: string;
  readonly authority: string;
  /** Returns how many requests each behaviour has answered. */
  requestCounts(): Promise<readonly number[]>;
  /** Returns how many requests followed the first answer of each behaviour, which shows that the answer was processed. */
  laterRequestCounts(): Promise<readonly number[]>;
}

interface Counts {
  readonly requests: readonly number[];
  readonly later: readonly number[];
}

/** What the server speaks. `frames`: HTTP/2, with the behaviours of `frameBehaviours`. */
export type Protocol = 'http/1.1' | 'h2' | 'frames';

export async function hostileServer(t: Test, protocol: Protocol): Promise<HostileServer> {
  const authority = await createAuthority('hostile');
  const { certificate: cert, key } = await issueServing(authority, ['127.0.0.1']);
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { cert, key, protocol } });
  t.teardown(() => worker.terminate());
  const [{ port }] = (await once(worker, 'message')) as [{ port: number }];
  async function counts(): Promise<Counts> {
    const answer = once(worker, 'message');
    worker.postMessage('counts');
    const [message] = (await answer) as [Counts];
    return message;
  }

  return {
    quiet: `https://127.0.0.1:${port}/${quiet}`,
    url: behaviour => `https://127.0.0.1:${port}/${behaviour}`,
    authority: authority.certificate,
    requestCounts: async () => (await counts()).requests,
    laterRequestCounts: async () => (await counts()).later,
  };
}
