/** Counters of one cache since it was opened, updated in place and read by the metrics. */
export interface CacheCounters {
  /** Times that it was filled from the store. */
  filled: number;
  /** Changes that came from the store. */
  received: number;
  /** Changes that were published to watches. */
  dispatched: number;
  /** Watches that were ended because they fell behind. */
  tooSlow: number;
  /** Lists of the newest state that were answered from memory, and from the store. */
  readonly newest: { memory: number; store: number };
  /** Lists that were answered from memory, by the index that was used; '' stands for none. */
  readonly lists: Map<string, { times: number; items: number }>;
  /** Items of those lists that passed the selector. Counted by the code that applies it. */
  returned: number;
  /** Lists that were answered by the store, including those that fill the cache. */
  readonly storeLists: {
    times: number;
    items: number;
    /** Items that a selector was applied to, and those that passed. Counted by the code that applies it. */
    evaluated: number;
    returned: number;
  };
  /** Initial events of watches: the state at their start, or the changes before it. Counted by the code that sends them. */
  initial: number;
}

/** Returns the counters of a new cache. */
export const cacheCounters = (): CacheCounters => ({
  ...{ filled: 0, received: 0, dispatched: 0, tooSlow: 0, returned: 0, initial: 0 },
  newest: { memory: 0, store: 0 },
  lists: new Map(),
  storeLists: { times: 0, items: 0, evaluated: 0, returned: 0 },
});

/** hot: once per list. */
export function countList(counters: CacheCounters, index: string, items: number): void {
  let lists = counters.lists.get(index);
  if (!lists) counters.lists.set(index, (lists = { times: 0, items: 0 }));
  lists.times++;
  lists.items += items;
}

/** Counts a list that the store answered. `wanted`: the items that are returned without a selector. */
export function countStoreList({ storeLists }: CacheCounters, items: number, wanted: number): void {
  storeLists.times++;
  storeLists.items += items;
  storeLists.evaluated += wanted;
  storeLists.returned += wanted;
}
