/** Requests and objects whose every part takes long: others have their turn between the parts. */
import type { RequestScope, Stored } from './interface.js';
import { sizeOf } from './stored/stored.js';

/** Bytes of JSON that may hold ten thousand values, for which all parts together take some 50 ms. */
const large = 32 * 1024;

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Undefined where nobody has to wait for this one. `stored`: what stands there. hot: */
export function pauseOf(
  { bodyBytes = 0 }: Pick<RequestScope, 'bodyBytes'>,
  stored?: Stored,
): (() => Promise<void>) | undefined {
  return bodyBytes > large || (stored && sizeOf(stored) > large) ? nextTurn : undefined;
}
