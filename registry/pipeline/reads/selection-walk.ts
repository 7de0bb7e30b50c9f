import type { Maybe } from '../../../lib/maybe.js';
import { Strides, TimeSlice } from '../../../lib/time-slice.js';
import type { StoredVersion } from '../stored/stored-version.js';
import type { ReadSelection } from './selection.js';

/**
 * Tests stored objects in time slices. Each is parsed when its fields are first tested, and its labels are read from its text: with a hundred thousand
 * objects from before a restart, that takes more than a second.
 */
export class SelectionWalk {
  readonly #selection: ReadSelection;
  readonly #slice = new TimeSlice();
  readonly #strides = new Strides();

  constructor(selection: ReadSelection) {
    this.#selection = selection;
  }

  /** Reports whether an object is selected. hot: returns a promise only after the end of a time slice, and for a large object that has to be parsed. */
  matches(stored: StoredVersion): Maybe<boolean> {
    const mustParse = this.#selection.readsObjects && !stored.isMemoized;
    const pause = this.#strides.isOver || mustParse ? this.#slice.pause() : undefined;
    const loading = mustParse ? stored.loading() : undefined;
    return pause || loading ? this.#matchesLater(stored, pause, loading) : this.#selection.matches(stored);
  }

  async #matchesLater(
    stored: StoredVersion,
    pause: Promise<void> | undefined,
    loading: Promise<unknown> | undefined,
  ): Promise<boolean> {
    await pause;
    await loading;
    return this.#selection.matches(stored);
  }
}

/** Returns the selected values, which are tested in time slices. */
export async function selectInTurns<T>(
  values: readonly T[],
  selection: ReadSelection,
  storedOf: (value: T) => StoredVersion,
): Promise<readonly T[]> {
  if (selection.empty) return values;
  const walk = new SelectionWalk(selection);
  const found: T[] = [];
  for (const value of values) {
    const matches = walk.matches(storedOf(value));
    if (matches instanceof Promise ? await matches : matches) found.push(value);
  }
  return found;
}
