/** Pauses between the steps of requests with large objects, each of which takes long. */
import { hasMoreValues } from '../../apimachinery/meta/values.js';
import type { Maybe } from '../../lib/maybe.js';
import { type InSteps, atOnce, inTimeSlices, nextTurn } from '../../lib/time-slice.js';
import type { RequestScope } from './interface.js';

type Sized = Pick<RequestScope, 'bodyBytes'>;

/** Bytes of JSON that may hold ten thousand values, for which all steps together take some 50 ms. */
const large = 32 * 1024;

/** Notes that the object of the request has at least this number of bytes of JSON. */
export function noteSize(call: Sized, bytes: number): void {
  if (bytes > (call.bodyBytes ?? 0)) call.bodyBytes = bytes;
}

/** Bytes of a value in JSON, with its separator and its name, if most values are as short as possible. */
const minValueBytes = 4;

/** Notes the size of an object that does not come as text, unless that of its text is known. hot: counts at most eight thousand values. */
export function noteValues(call: Sized, object: unknown): void {
  if (call.bodyBytes === undefined && hasMoreValues(object, large / minValueBytes)) noteSize(call, large + 1);
}

/** hot: Runs the steps of a request: at once for a small one, in time slices for a large one. */
export function stepsOf<T>(call: Sized, steps: InSteps<T>): Maybe<T> {
  return pauseOf(call) ? inTimeSlices(steps) : atOnce(steps);
}

/** hot: Returns a function whose promise resolves in a later turn of the event loop; undefined for a small request, which needs no pauses. */
export function pauseOf({ bodyBytes = 0 }: Sized): (() => Promise<void>) | undefined {
  return bodyBytes > large ? nextTurn : undefined;
}
