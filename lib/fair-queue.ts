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

/** The waiting items of one key. */
interface Line<T> {
  readonly items: T[];
  bytes: number;
}

/** Waiting items: first come, first served within a key, and the keys take turns. */
export class FairQueue<T extends QueueItem> {
  /** Waiting items by key, in the order of turns: a key moves to the end after its turn. */
  readonly #lines = new Map<unknown, Line<T>>();
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
    const line = this.#lines.get(item.key);
    if (this.#isFull(line) || !this.#hasRoom(item)) return false;
    if (line) this.#append(line, item);
    else this.#lines.set(item.key, this.#append({ items: [], bytes: 0 }, item));
    return true;
  }

  /** Removes and returns the item whose turn it is. */
  shift(): T | undefined {
    for (const [key, line] of this.#lines) {
      const item = line.items.shift();
      this.#lines.delete(key);
      if (line.items.length > 0) this.#lines.set(key, line);
      if (item) this.#forget(line, item);
      return item;
    }
    return undefined;
  }

  /** Removes an item. Returns whether it was waiting. */
  remove(item: T): boolean {
    const line = this.#lines.get(item.key);
    const index = line?.items.indexOf(item) ?? -1;
    if (!line || index < 0) return false;
    line.items.splice(index, 1);
    if (line.items.length === 0) this.#lines.delete(item.key);
    this.#forget(line, item);
    return true;
  }

  /**
   * Makes room for an item: removes and returns the newest items of the keys with the most items, or with the most bytes where bytes are lacking.
   * Removes none and returns undefined when that does not suffice: no key loses an item to one that would then have as much.
   */
  displace(item: T): readonly T[] | undefined {
    if (this.#isFull(this.#lines.get(item.key))) return undefined;
    const displaced: { readonly line: Line<T>; readonly last: T }[] = [];
    while (!this.#hasRoom(item)) {
      const line = this.#largest(item);
      const last = line?.items.pop();
      if (!line || !last) {
        for (const { line, last } of displaced.reverse()) this.#append(line, last);
        return undefined;
      }
      this.#forget(line, last);
      displaced.push({ line, last });
    }
    for (const { line, last } of displaced) if (line.items.length === 0) this.#lines.delete(last.key);
    return displaced.map(({ last }) => last);
  }

  /** Returns the line to displace from in favour of an item; undefined when none has more than that of the item would then have. */
  #largest(item: T): Line<T> | undefined {
    const byLength = this.#length >= this.#limits.length;
    const measure = (line: Line<T>): number => (byLength ? line.items.length : line.bytes);
    const own = this.#lines.get(item.key);
    let largest: Line<T> | undefined;
    let most = (own ? measure(own) : 0) + (byLength ? 1 : item.size);
    for (const line of this.#lines.values()) if (measure(line) > most) [largest, most] = [line, measure(line)];
    return largest;
  }

  #isFull(line: Line<T> | undefined): boolean {
    return (line?.items.length ?? 0) >= this.#limits.lengthPerKey;
  }

  #hasRoom({ size }: T): boolean {
    return this.#length < this.#limits.length && this.#bytes + size <= this.#limits.bytes;
  }

  #append(line: Line<T>, item: T): Line<T> {
    line.items.push(item);
    line.bytes += item.size;
    this.#length++;
    this.#bytes += item.size;
    return line;
  }

  #forget(line: Line<T>, item: T): void {
    line.bytes -= item.size;
    this.#length--;
    this.#bytes -= item.size;
  }
}
