import { goQuote } from '../../lib/go/go-text.js';
import type { Identity } from '../../apimachinery/identity.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { reachFailureText } from '../proxy/reach-failure.js';
import { type Answer, send } from '../remote/answer.js';
import type { ServerConnections } from './server-connections.js';
import type { ServerReference } from './server-reference.js';
import { remoteUser } from './remote-user.js';

/** The identity of this server's own requests. as kube-aggregator's controllers, which always have all rights */
const aggregator: Identity = { name: 'system:kube-aggregator', groups: ['system:masters'] };

/** Milliseconds until an answer has to be complete. */
export const answerMs = 5000;

export interface ServerRequest {
  readonly reference: ServerReference;
  /** The endpoint of the server to which the request goes. */
  readonly origin: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Sends a GET of this server itself to the server of an APIService, and passes the head of the answer to `read`. Rejects with ExpectedError, which
 * has Go's text, when the server cannot be reached or the answer takes too long.
 */
export async function ask<T>(
  connections: ServerConnections,
  { reference, origin, path, headers = {}, signal }: ServerRequest,
  read: (answer: Answer) => Promise<T>,
): Promise<T> {
  const common = Object.entries({ accept: 'application/json', 'user-agent': 'kube-aggregator', ...headers }).flat();
  const sent = { origin, path, method: 'GET', headers: [...common, ...remoteUser(aggregator)], body: undefined };
  const clock = deadline(signal);
  try {
    const { pool } = connections.targetAt(reference, origin);
    const answer = await send(pool, { ...sent, timeoutMs: 0, isLong: false }, clock.signal);
    return await read(answer);
  } catch (error) {
    if (error instanceof ExpectedError && !clock.isLate()) throw error;
    connections.forget(reference, origin);
    const text = clock.isLate()
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : reachFailureText(error as Error, origin);
    throw new ExpectedError(`Get ${goQuote(origin + path)}: ${text}`, { cause: error });
  } finally {
    clock.release();
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  isLate(): boolean;
  release(): void;
}

/** Returns a signal that aborts with the given one, and when the time of an answer is over. It leaves nothing at the given one after its release. */
function deadline(signal: AbortSignal): Deadline {
  const controller = new AbortController();
  let isLate = false;
  const stop = (): void => controller.abort(new ExpectedError('the server stops'));
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort(new ExpectedError('the answer takes too long'));
  }, answerMs);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    isLate: () => isLate,
    release() {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    },
  };
}

/** Returns the path of the discovery document of a group version. */
export const versionPath = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
