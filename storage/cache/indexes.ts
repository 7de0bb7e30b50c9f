import type { Item, Page, Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';
import { KeyMap } from '../event-log/key-map.js';
import { type ViewRange, pageOf } from '../event-log/view.js';
import type { IndexFunction } from './interface.js';

export interface Indexes<V> {
  apply(change: KeyChange<V>): void;
  /** Returns the items below the prefix that the index has under `word`, in the order of their keys. */
  find(name: string, word: string, revision: Revision, prefix: string, range: ViewRange): Page<V>;
  /** Returns whether the index has a value under `word`. */
  matches(name: string, word: string, value: V): boolean;
}

/** Neither keys nor indexed words contain it. */
const separator = '\0';

interface Index<V> {
  readonly words: IndexFunction<V>;
  /** Items by `word \0 key`. Undefined until the index is first used: an unused index costs nothing. */
  items: KeyMap<Item<V>> | undefined;
}

/** Creates the indexes. `all`: the items that there are now. */
export function createIndexes<V>(
  functions: Readonly<Record<string, IndexFunction<V>>>,
  all: () => Iterable<Item<V>>,
): Indexes<V> {
  const indexes = new Map(
    Object.entries(functions).map(([name, words]): [string, Index<V>] => [name, { words, items: undefined }]),
  );

  function must(name: string): Index<V> {
    const index = indexes.get(name);
    if (index === undefined) throw new Error(`the cache has no index ${name}`);
    return index;
  }

  function itemsOf(index: Index<V>): KeyMap<Item<V>> {
    if (index.items !== undefined) return index.items;
    const items = new KeyMap<Item<V>>();
    for (const item of all()) for (const word of index.words(item.value)) items.set(word + separator + item.key, item);
    return (index.items = items);
  }

  function move({ words, items }: Index<V>, change: KeyChange<V>): void {
    const { previous } = change;
    if (previous !== undefined)
      for (const word of words(previous.value)) items?.delete(word + separator + previous.key);
    if (change.type !== 'put') return;
    for (const word of words(change.item.value)) items?.set(word + separator + change.item.key, change.item);
  }

  return {
    apply(change) {
      for (const index of indexes.values()) {
        if (index.items === undefined) continue;
        try {
          move(index, change);
        } catch {
          // A value cannot be read: the index is dropped, and the next use, which builds it again, throws the error.
          index.items = undefined;
        }
      }
    },
    find(name, word, revision, prefix, { start, limit }) {
      const lead = word + separator;
      return pageOf(itemsOf(must(name)), revision, lead + prefix, {
        ...(start === undefined ? {} : { start: lead + start }),
        ...(limit === undefined ? {} : { limit }),
      });
    },
    matches: (name, word, value) => must(name).words(value).includes(word),
  };
}
