import type { Item, Page, Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';
import { KeyMap } from '../event-log/key-map.js';
import { type ViewRange, pageOf } from '../event-log/view.js';
import type { IndexFunction } from './interface.js';

export interface Indexes<V> {
  apply(change: KeyChange<V>): void;
  /** Items below the prefix that stand under the word, in the order of their keys. */
  find(name: string, word: string, revision: Revision, prefix: string, range: ViewRange): Page<V>;
  /** Whether a value belongs under the word. */
  matches(name: string, word: string, value: V): boolean;
}

/** No key and no word contains it. */
const separator = '\0';

interface Index<V> {
  readonly words: IndexFunction<V>;
  /** By `word \0 key`. Undefined until somebody asks: those that nobody asks for cost nothing. */
  items: KeyMap<Item<V>> | undefined;
}

/** `all`: what there is now. */
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

  function made(index: Index<V>): KeyMap<Item<V>> {
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
          // A value that cannot be read: who asks next is told.
          index.items = undefined;
        }
      }
    },
    find(name, word, revision, prefix, { start, limit }) {
      const before = word + separator;
      return pageOf(made(must(name)), revision, before + prefix, {
        ...(start === undefined ? {} : { start: before + start }),
        ...(limit === undefined ? {} : { limit }),
      });
    },
    matches: (name, word, value) => must(name).words(value).includes(word),
  };
}
