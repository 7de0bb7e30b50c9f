export interface QueueLimits {
  /** Items that may wait. */
  readonly length: number;
  /** Items of one key that may wait. */
  readonly lengthPerKey: number;
  /** Bytes that may wait, of all items together. */
  readonly bytes: number;
}

export interface QueueItem {
  /** Items with the same key, compared by identity, belong to the same client. */
  readonly key: unknown;
  /** Bytes. */
  readonly size: number;
}

/** Waiting items: first come, first served within a key, and the keys take turns. */
export class FairQueue<T extends QueueItem> {
  /** Waiting items by key, in the order of turns: a key moves to the end after its turn. */
  readonly #items = new Map<unknown, T[]>();
  readonly #limits: QueueLimits;
  #length = 0;
  #bytes = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns whether there was room for the item. */
  push(item: T): boolean {
    const own = this.#items.get(item.key);
    const { length, lengthPerKey, bytes } = this.#limits;
    if (this.#length >= length || (own?.length ?? 0) >= lengthPerKey || this.#bytes + item.size > bytes) return false;
    if (own) own.push(item);
    else this.#items.set(item.key, [item]);
    this.#length++;
    this.#bytes += item.size;
    return true;
  }

  /** Removes and returns the item whose turn it is. */
  shift(): T | undefined {
    for (const [key, own] of this.#items) {
      const item = own.shift();
      this.#items.delete(key);
      if (own.length > 0) this.#items.set(key, own);
      if (item) this.#forget(item);
      return item;
    }
    return undefined;
  }

  /** Removes an item. Returns whether it was waiting. */
  remove(item: T): boolean {
    const own = this.#items.get(item.key);
    const index = own?.indexOf(item) ?? -1;
    if (!own || index < 0) return false;
    own.splice(index, 1);
    if (own.length === 0) this.#items.delete(item.key);
    this.#forget(item);
    return true;
  }

  /**
   * Removes and returns the newest item of the key with the most items, in favour of an item of `key`. Returns undefined if `key` would then have
   * as many items as that one.
   */
  displace(key: unknown): T | undefined {
    let longest: T[] = [];
    for (const own of this.#items.values()) if (own.length > longest.length) longest = own;
    if (longest.length <= (this.#items.get(key)?.length ?? 0) + 1) return undefined;
    const item = longest.pop(); // Others of this key remain, since there were at least two.
    if (item) this.#forget(item);
    return item;
  }

  #forget(item: T): void {
    this.#length--;
    this.#bytes -= item.size;
  }
}
