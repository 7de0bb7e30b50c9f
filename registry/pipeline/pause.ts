/** Requests and objects whose every part takes long: others have their turn between the parts. */
import { nextTurn } from '../../lib/time-slice.js';
import type { RequestScope, Stored } from './interface.js';
import { sizeOf } from './stored/stored.js';

/** Bytes of JSON that may hold ten thousand values, for which all parts together take some 50 ms. */
const large = 32 * 1024;

/** Undefined where nobody has to wait for this one. `stored`: what stands there. hot: */
export function pauseOf(
  { bodyBytes = 0 }: Pick<RequestScope, 'bodyBytes'>,
  stored?: Stored,
): (() => Promise<void>) | undefined {
  return bodyBytes > large || (stored && sizeOf(stored) > large) ? nextTurn : undefined;
}
