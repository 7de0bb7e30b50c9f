import type { Item, Page, Revision } from '../interface.js';
import type { KeyMap } from './key-map.js';

export interface ViewRange {
  /** Keys >= this one. */
  readonly start?: string;
  /** At most so many items; 0 or absent: all. */
  readonly limit?: number;
}

/** The state at one revision, which never changes. */
export interface View<V> {
  readonly revision: Revision;
  readonly size: number;
  get(key: string): Item<V> | undefined;
  /** Items below the prefix in byte order. */
  range(prefix: string, options?: ViewRange): Page<V>;
}

/** hot: a page costs its items and, when it is limited, the counting of the remaining ones. */
export function pageOf<V>(
  items: KeyMap<Item<V>>,
  revision: Revision,
  prefix: string,
  options: ViewRange = {},
): Page<V> {
  const { start, limit = 0 } = options;
  const taken: Item<V>[] = [];
  let remaining = 0;
  items.scan(prefix, start, item => {
    if (limit > 0 && taken.length >= limit) remaining++;
    else taken.push(item);
    return true;
  });
  return { items: taken, revision, remaining };
}

/** Creates a view. `items` belongs to the view from then on. */
export function viewOf<V>(items: KeyMap<Item<V>>, revision: Revision): View<V> {
  return {
    revision,
    size: items.size,
    get: key => items.get(key),
    range: (prefix, options) => pageOf(items, revision, prefix, options),
  };
}
