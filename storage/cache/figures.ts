/** What a cache has done since it is open: counted in place, and looked at now and then. */
export interface CacheFigures {
  /** How often it was filled from the store. */
  filled: number;
  /** Changes that came from the store. */
  received: number;
  /** Changes that watches were shown. */
  dispatched: number;
  /** Watches that were ended since they took what happened too slowly. */
  tooSlow: number;
  /** Lists of what is newest that memory answered, and those that the store had to. */
  readonly newest: { memory: number; store: number };
  /** Lists that memory answered, by the index that was used; '': none. */
  readonly lists: Map<string, { times: number; items: number }>;
  /** Items that were left of those, once somebody had chosen among them. Counted by whoever does. */
  returned: number;
  /** Lists that the store answered, those that fill the cache among them. */
  readonly storeLists: {
    times: number;
    items: number;
    /** Items that somebody had a look at, and that were left of them. Counted by whoever chooses among them. */
    evaluated: number;
    returned: number;
  };
  /** What there was when a watch began, and what had happened before that: told to watches. Counted by whoever tells them. */
  initial: number;
}

export const cacheFigures = (): CacheFigures => ({
  ...{ filled: 0, received: 0, dispatched: 0, tooSlow: 0, returned: 0, initial: 0 },
  newest: { memory: 0, store: 0 },
  lists: new Map(),
  storeLists: { times: 0, items: 0, evaluated: 0, returned: 0 },
});

/** hot: once per list. */
export function countList(figures: CacheFigures, index: string, items: number): void {
  let lists = figures.lists.get(index);
  if (!lists) figures.lists.set(index, (lists = { times: 0, items: 0 }));
  lists.times++;
  lists.items += items;
}

/** A list that the store answered. `wanted`: items of which somebody wants all. */
export function countStoreList({ storeLists }: CacheFigures, items: number, wanted: number): void {
  storeLists.times++;
  storeLists.items += items;
  storeLists.evaluated += wanted;
  storeLists.returned += wanted;
}
