export interface QueueLimits {
  /** Items that may wait. */
  readonly length: number;
  /** Items of one key that may wait. */
  readonly lengthPerKey: number;
  /** Items of one group that may wait; without a limit of its own by default. */
  readonly lengthPerGroup?: number;
  /** Bytes that may wait, of all items together. */
  readonly bytes: number;
}

export interface QueueItem {
  /** Items with the same key, compared by identity, belong to the same client. */
  readonly key: unknown;
  /** The group of the key, compared by identity: clients that may be one, such as the connections from one address. The key itself by default. */
  readonly group?: unknown;
  /** Bytes. */
  readonly size: number;
}

/** The waiting items of one key. */
interface Line<T> {
  readonly items: T[];
  bytes: number;
}

/** The waiting items of one group. */
interface Group<T> {
  /** Waiting items by key, in the order of turns: a key moves to the end after its turn. */
  readonly lines: Map<unknown, Line<T>>;
  length: number;
  bytes: number;
}

interface Place<T> {
  readonly group: Group<T>;
  readonly line: Line<T>;
}

const groupOf = ({ group, key }: QueueItem): unknown => group ?? key;

/** Moves an entry behind all others. */
function moveToEnd<V>(map: Map<unknown, V>, key: unknown, value: V): void {
  map.delete(key);
  map.set(key, value);
}

/** Returns the last value with the largest measure above `most`; undefined if there is none. */
function largest<V>(values: Iterable<V>, measure: (value: V) => number, most: number): V | undefined {
  let [found, limit]: [V | undefined, number] = [undefined, most];
  for (const value of values) {
    const measured = measure(value);
    if (measured > most && measured >= limit) [found, limit] = [value, measured];
  }
  return found;
}

/** Waiting items: first come, first served within a key. The groups take turns, and in the turn of a group its keys do. */
export class FairQueue<T extends QueueItem> {
  /** In the order of turns, as the lines of a group. */
  readonly #groups = new Map<unknown, Group<T>>();
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
    if (this.#isFull(item) || !this.#hasRoom(item)) return false;
    this.#append(this.#placeFor(item), item);
    return true;
  }

  /** Adds an item, if need be in the place of others. Returns the items without a place: the displaced ones, or the item itself. */
  pushOrDisplace(item: T): readonly T[] {
    if (this.push(item)) return [];
    const displaced = this.displace(item);
    return displaced && this.push(item) ? displaced : [...(displaced ?? []), item];
  }

  /** Removes and returns the item whose turn it is. */
  shift(): T | undefined {
    for (const [name, group] of this.#groups)
      for (const [key, line] of group.lines) {
        const item = line.items.shift();
        if (!item) return undefined; // Never: an empty line is removed.
        this.#forget({ group, line }, item);
        moveToEnd(group.lines, key, line);
        moveToEnd(this.#groups, name, group);
        this.#removeIfEmpty({ group, line }, item);
        return item;
      }
    return undefined;
  }

  /** Removes an item. Returns whether it was waiting. */
  remove(item: T): boolean {
    const group = this.#groups.get(groupOf(item));
    const line = group?.lines.get(item.key);
    const index = line?.items.indexOf(item) ?? -1;
    if (!group || !line || index < 0) return false;
    line.items.splice(index, 1);
    this.#forget({ group, line }, item);
    this.#removeIfEmpty({ group, line }, item);
    return true;
  }

  /**
   * Makes room for an item: removes and returns the newest items of the groups with the most items, or with the most bytes where bytes are lacking;
   * in a group, those of the keys with the most. Removes none and returns undefined when that does not suffice: no group or key loses an item to
   * one that would then have as much.
   */
  displace(item: T): readonly T[] | undefined {
    if (this.#isFull(item)) return undefined;
    const displaced: { readonly place: Place<T>; readonly last: T }[] = [];
    while (!this.#hasRoom(item)) {
      const place = this.#largest(item);
      const last = place?.line.items.pop();
      if (!place || !last) {
        for (const { place, last } of displaced.reverse()) this.#append(place, last);
        return undefined;
      }
      this.#forget(place, last);
      displaced.push({ place, last });
    }
    for (const { place, last } of displaced) this.#removeIfEmpty(place, last);
    return displaced.map(({ last }) => last);
  }

  /** Returns the line to displace from in favour of an item; undefined when none has more than that of the item would then have. */
  #largest(item: T): Place<T> | undefined {
    const own = this.#groups.get(groupOf(item));
    const inOwn = this.#isGroupFull(own);
    const byLength = inOwn || this.#length >= this.#limits.length;
    const added = byLength ? 1 : item.size;
    const ofGroup = (group: Group<T>): number => (byLength ? group.length : group.bytes);
    const ofLine = (line: Line<T>): number => (byLength ? line.items.length : line.bytes);
    const other = inOwn ? undefined : largest(this.#groups.values(), ofGroup, (own ? ofGroup(own) : 0) + added);
    const group = other ?? own;
    const ownLine = other ? undefined : own?.lines.get(item.key);
    const most = other ? 0 : (ownLine ? ofLine(ownLine) : 0) + added;
    const line = group && largest(group.lines.values(), ofLine, most);
    return line && { group, line };
  }

  /** Returns whether the key of the item has as many items as it may have: then nothing makes room for another one. */
  #isFull(item: T): boolean {
    const line = this.#groups.get(groupOf(item))?.lines.get(item.key);
    return (line?.items.length ?? 0) >= this.#limits.lengthPerKey;
  }

  #isGroupFull(group: Group<T> | undefined): boolean {
    return (group?.length ?? 0) >= (this.#limits.lengthPerGroup ?? Infinity);
  }

  #hasRoom(item: T): boolean {
    const { length, bytes } = this.#limits;
    if (this.#isGroupFull(this.#groups.get(groupOf(item)))) return false;
    return this.#length < length && this.#bytes + item.size <= bytes;
  }

  #placeFor(item: T): Place<T> {
    const name = groupOf(item);
    const group = this.#groups.get(name) ?? { lines: new Map<unknown, Line<T>>(), length: 0, bytes: 0 };
    const line = group.lines.get(item.key) ?? { items: [], bytes: 0 };
    this.#groups.set(name, group);
    group.lines.set(item.key, line);
    return { group, line };
  }

  #append({ group, line }: Place<T>, item: T): void {
    line.items.push(item);
    line.bytes += item.size;
    group.length++;
    group.bytes += item.size;
    this.#length++;
    this.#bytes += item.size;
  }

  #forget({ group, line }: Place<T>, item: T): void {
    line.bytes -= item.size;
    group.length--;
    group.bytes -= item.size;
    this.#length--;
    this.#bytes -= item.size;
  }

  #removeIfEmpty({ group, line }: Place<T>, item: T): void {
    if (line.items.length === 0) group.lines.delete(item.key);
    if (group.length === 0) this.#groups.delete(groupOf(item));
  }
}
