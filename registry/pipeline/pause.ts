/** Pauses between the steps of requests with large objects, each of which takes long. */
import { nextTurn } from '../../lib/time-slice.js';
import type { RequestScope } from './interface.js';

/** Bytes of JSON that may hold ten thousand values, for which all steps together take some 50 ms. */
const large = 32 * 1024;

/** Notes that the object of the request has at least this number of bytes of JSON. */
export function noteSize(call: Pick<RequestScope, 'bodyBytes'>, bytes: number): void {
  if (bytes > (call.bodyBytes ?? 0)) call.bodyBytes = bytes;
}

/** hot: Returns a function whose promise resolves in a later turn of the event loop; undefined for a small request, which needs no pauses. */
export function pauseOf({ bodyBytes = 0 }: Pick<RequestScope, 'bodyBytes'>): (() => Promise<void>) | undefined {
  return bodyBytes > large ? nextTurn : undefined;
}
