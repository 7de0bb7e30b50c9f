/** Binary heaps in arrays: no item comes before the one at half of its position. */

/** Restores the order of a heap below one position. */
export function sink<T>(heap: T[], at: number, before: (a: T, b: T) => boolean): void {
  for (let parent = at; ;) {
    let best = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      const a = heap[child];
      const b = heap[best];
      if (a !== undefined && b !== undefined && before(a, b)) best = child;
    }
    if (best === parent) return;
    [heap[parent], heap[best]] = [heap[best] as T, heap[parent] as T];
    parent = best;
  }
}

/** Orders items as a heap. Its first item comes before all others. */
export function heapify<T>(items: T[], before: (a: T, b: T) => boolean): void {
  for (let i = (items.length >> 1) - 1; i >= 0; i--) sink(items, i, before);
}
