import type { Item, Restorable, Revision, StoredItem } from '../../interface.js';

/** A value as the backend holds it. */
export interface MemoryValue extends Item<Uint8Array> {
  /** Milliseconds since the epoch when the value is removed; undefined: never. */
  readonly expiresAt: number | undefined;
}

/** An item that holds its bytes, or an object that can restore them. */
export class MemoryItem implements MemoryValue, StoredItem {
  readonly key: string;
  readonly revision: Revision;
  readonly expiresAt: number | undefined;
  /** Bytes of the value. */
  readonly size: number;
  #value: Uint8Array | Restorable;

  constructor(key: string, value: Uint8Array, revision: Revision, expiresAt?: number) {
    this.key = key;
    this.revision = revision;
    this.expiresAt = expiresAt;
    this.size = value.byteLength;
    this.#value = value;
  }

  get value(): Uint8Array {
    const value = this.#value;
    return value instanceof Uint8Array ? value : value.restore();
  }

  handOver(holder: Restorable): void {
    this.#value = holder;
  }
}

/** Returns the bytes of the value without restoring it. */
export const sizeOfItem = (item: Item<Uint8Array>): number =>
  item instanceof MemoryItem ? item.size : item.value.byteLength;
