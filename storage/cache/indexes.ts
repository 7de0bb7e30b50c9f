import type { Item, Page, Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';
import { KeyMap } from '../event-log/key-map.js';
import { type ViewRange, pageOf } from '../event-log/view.js';
import type { IndexFunction, IndexedWord } from './interface.js';

/** Neither keys nor indexed words contain it. */
const separator = '\0';

interface Index<V> {
  readonly words: IndexFunction<V>;
  /** Items by `word \0 key`. Undefined until the index is first used: an unused index costs nothing. */
  items: KeyMap<Item<V>> | undefined;
}

/** The indexes of a cache, by name. */
export class Indexes<V> {
  readonly #indexes: ReadonlyMap<string, Index<V>>;
  readonly #all: () => Iterable<Item<V>>;

  /** `all` returns the items that there are now. */
  constructor(functions: Readonly<Record<string, IndexFunction<V>>>, all: () => Iterable<Item<V>>) {
    this.#all = all;
    this.#indexes = new Map(
      Object.entries(functions).map(([name, words]): [string, Index<V>] => [name, { words, items: undefined }]),
    );
  }

  apply(change: KeyChange<V>): void {
    for (const index of this.#indexes.values()) {
      if (index.items === undefined) continue;
      try {
        move(index, change);
      } catch {
        // A value cannot be read: the index is dropped, and the next use, which builds it again, throws the error.
        index.items = undefined;
      }
    }
  }

  /** Returns the items below the prefix that the index has under `word`, in the order of their keys. */
  find({ name, word }: IndexedWord, revision: Revision, prefix: string, { start, limit }: ViewRange): Page<V> {
    const lead = word + separator;
    return pageOf(this.#itemsOf(this.#must(name)), revision, lead + prefix, {
      ...(start === undefined ? {} : { start: lead + start }),
      ...(limit === undefined ? {} : { limit }),
    });
  }

  /** Returns whether the index has a value under the word. */
  matches({ name, word }: IndexedWord, value: V): boolean {
    return this.#must(name).words(value).includes(word);
  }

  #must(name: string): Index<V> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`the cache has no index ${name}`);
    return index;
  }

  #itemsOf(index: Index<V>): KeyMap<Item<V>> {
    if (index.items !== undefined) return index.items;
    const items = new KeyMap<Item<V>>();
    for (const item of this.#all())
      for (const word of index.words(item.value)) items.set(word + separator + item.key, item);
    return (index.items = items);
  }
}

function move<V>({ words, items }: Index<V>, change: KeyChange<V>): void {
  const { previous } = change;
  if (previous !== undefined) for (const word of words(previous.value)) items?.delete(word + separator + previous.key);
  if (change.type !== 'put') return;
  for (const word of words(change.item.value)) items?.set(word + separator + change.item.key, change.item);
}
