/** Waits for the decoding of large stored objects, which takes time slices, before readers use them. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Maybe } from '../../../lib/maybe.js';
import { TimeSlice } from '../../../lib/time-slice.js';
import type { Stored } from '../interface.js';

/** hot: Returns the object of a stored value. A small one is parsed at once. */
export const loadedObject = (stored: Stored): Maybe<KubeObject> => stored.loading?.() ?? stored.object;

const noop = (): void => undefined;

/**
 * Resolves when the values can be read without long work. They are decoded one after the other, so that no more memory is in use at a time
 * than one takes. One that cannot be decoded throws when it is read. Returns undefined if there is nothing to decode. hot: most values are small, or
 * were decoded before.
 */
export function decodeAll(values: readonly Stored[]): Promise<void> | undefined {
  const undecoded = values.filter(({ isUndecoded }) => isUndecoded);
  return undecoded.length > 0 ? decodeEach(undecoded) : undefined;
}

async function decodeEach(values: readonly Stored[]): Promise<void> {
  const slice = new TimeSlice();
  for (const value of values) {
    const decoding = value.decoding?.();
    if (decoding) await decoding.catch(noop);
    const pause = slice.pause();
    if (pause) await pause;
  }
}
