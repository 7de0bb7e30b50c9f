import type { Item, Page, Revision } from '../interface.js';
import type { KeyChange } from '../timeline/history.js';
import { KeyMap } from '../timeline/key-map.js';
import { type ViewRange, pageOf } from '../timeline/view.js';
import type { IndexFunction } from './interface.js';

export interface Indexes<V> {
  add(item: Item<V>): void;
  apply(change: KeyChange<V>): void;
  /** Items below the prefix that stand under the word, in the order of their keys. */
  find(name: string, word: string, revision: Revision, prefix: string, range: ViewRange): Page<V>;
  /** Whether a value belongs under the word. */
  matches(name: string, word: string, value: V): boolean;
}

/** No key and no word contains it. */
const separator = '\0';

/** One ordered map per index, from `word \0 key` to the item. */
export function createIndexes<V>(functions: Readonly<Record<string, IndexFunction<V>>>): Indexes<V> {
  const indexes = new Map(
    Object.entries(functions).map(([name, words]) => [name, { words, items: new KeyMap<Item<V>>() }] as const),
  );

  function must(name: string): { words: IndexFunction<V>; items: KeyMap<Item<V>> } {
    const index = indexes.get(name);
    if (index === undefined) throw new Error(`the cache has no index ${name}`);
    return index;
  }

  function add(item: Item<V>): void {
    for (const { words, items } of indexes.values()) {
      for (const word of words(item.value)) items.set(word + separator + item.key, item);
    }
  }

  function drop(item: Item<V>): void {
    for (const { words, items } of indexes.values()) {
      for (const word of words(item.value)) items.delete(word + separator + item.key);
    }
  }

  return {
    add,
    apply(change) {
      if (indexes.size === 0) return;
      if (change.previous !== undefined) drop(change.previous);
      if (change.type === 'put') add(change.item);
    },
    find(name, word, revision, prefix, { start, limit }) {
      const before = word + separator;
      return pageOf(must(name).items, revision, before + prefix, {
        ...(start === undefined ? {} : { start: before + start }),
        ...(limit === undefined ? {} : { limit }),
      });
    },
    matches: (name, word, value) => must(name).words(value).includes(word),
  };
}
