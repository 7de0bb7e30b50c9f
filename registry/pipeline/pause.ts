/** Pauses between the steps of requests that are about large objects, each step of which takes long. */
import { nextTurn } from '../../lib/time-slice.js';
import type { RequestScope } from './interface.js';

/** Bytes of JSON that may hold ten thousand values, for which all parts together take some 50 ms. */
const large = 32 * 1024;

/** Notes that from here on the request is about an object of at least so many bytes of JSON. */
export function noteSize(call: Pick<RequestScope, 'bodyBytes'>, bytes: number): void {
  if (bytes > (call.bodyBytes ?? 0)) call.bodyBytes = bytes;
}

/** Returns the function that resolves in a later turn of the event loop; undefined for a small request, which needs no pauses. hot: */
export function pauseOf({ bodyBytes = 0 }: Pick<RequestScope, 'bodyBytes'>): (() => Promise<void>) | undefined {
  return bodyBytes > large ? nextTurn : undefined;
}
