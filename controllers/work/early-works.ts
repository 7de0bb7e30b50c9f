import type { Informer, Key } from '../../client/runtime/interface.js';
import { eachInTurns } from '../../lib/time-slice.js';

type FirstList = Pick<Informer, 'synced' | 'hasSynced'>;

/**
 * The Works with manifests that were applied before the mirrors of their kinds had their first lists, since these had failed or taken too long. The
 * changes until then are in no event, so that these Works are compared again with the first list.
 */
export class EarlyWorks {
  /** Called for a Work that must be compared with its member. */
  readonly #compare: (key: Key) => void;
  readonly #works = new WeakMap<FirstList, Set<Key>>();

  constructor(compare: (key: Key) => void) {
    this.#compare = compare;
  }

  /** Records that a manifest of a Work is applied. hot: for every manifest. */
  add(key: Key, mirror: FirstList): void {
    if (mirror.hasSynced) return;
    const works = this.#works.get(mirror);
    if (works) works.add(key);
    else this.#compareWhenListed(mirror, new Set([key]));
  }

  #compareWhenListed(mirror: FirstList, works: Set<Key>): void {
    this.#works.set(mirror, works);
    void mirror.synced.then(async () => {
      this.#works.delete(mirror);
      // A mirror that stops has no list.
      if (mirror.hasSynced) await eachInTurns(works, this.#compare);
    });
  }
}
