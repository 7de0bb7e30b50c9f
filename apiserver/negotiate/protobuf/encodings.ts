import type { Stored } from '../../../registry/pipeline/interface.js';

interface Encoding {
  readonly revision: number;
  readonly length: number;
  /** Undefined when the cache was full: only the length is known. */
  readonly bytes: Buffer | undefined;
  lastUsed: number;
}

/** Maximum bytes of all messages together. */
const maxBytes = 128 * 1024 * 1024;
/** Approximate bytes of memory of a message besides its own. */
const overheadBytes = 256;
/** The number of turns after which an unused message is dropped. */
const maxIdleTurns = 5;

const sizeOf = ({ bytes }: Encoding): number => overheadBytes + (bytes?.length ?? 0);

/**
 * Caches the messages of stored objects. A message is encoded when a client first reads the object in protobuf. When the cache is full, new
 * messages are not cached, and no others are evicted: lists read all objects in turn, and would evict each one just before it is needed again.
 * Unused messages are dropped with time.
 */
export class Encodings {
  /** Encodings by form (the version, or metadata alone), then by the key of the object. */
  readonly #forms = new Map<string, Map<string, Encoding>>();
  readonly #maxBytes: number;
  #bytes = 0;
  #turn = 0;

  constructor(limit = maxBytes) {
    this.#maxBytes = limit;
  }

  /** Approximate bytes of memory. */
  get bytes(): number {
    return this.#bytes;
  }

  #find(form: string, { key, revision }: Stored): Encoding | undefined {
    const found = this.#forms.get(form)?.get(key);
    if (found?.revision !== revision) return undefined;
    found.lastUsed = this.#turn;
    return found;
  }

  find(form: string, stored: Stored): Buffer | undefined {
    return this.#find(form, stored)?.bytes;
  }

  /** hot: returns the message, from the cache or from `make`, which has to return the same bytes for the same object and form. */
  get(form: string, stored: Stored, make: () => Buffer): Buffer {
    const found = this.#find(form, stored);
    return found?.bytes ?? this.#store(form, stored, found, make());
  }

  /** hot: returns the length of the message; calls `make` if it is not known. */
  lengthOf(form: string, stored: Stored, make: () => Buffer): number {
    return this.#find(form, stored)?.length ?? this.#store(form, stored, undefined, make()).length;
  }

  #store(form: string, { key, revision }: Stored, known: Encoding | undefined, bytes: Buffer): Buffer {
    let objects = this.#forms.get(form);
    if (!objects) this.#forms.set(form, (objects = new Map<string, Encoding>()));
    const before = known ?? objects.get(key);
    if (before && before.revision > revision) return bytes; // An older state, which a list at a revision or a slow watch reads.
    const free = this.#maxBytes - this.#bytes + (before ? sizeOf(before) : 0);
    if (free < overheadBytes) return bytes;
    const cached = free >= overheadBytes + bytes.length ? bytes : undefined;
    const made: Encoding = { revision, length: bytes.length, bytes: cached, lastUsed: this.#turn };
    objects.set(key, made);
    this.#bytes += sizeOf(made) - (before ? sizeOf(before) : 0);
    return bytes;
  }

  /** Drops the messages of a deleted object. */
  drop({ key }: Stored): void {
    for (const objects of this.#forms.values()) this.#remove(objects, key);
  }

  #remove(objects: Map<string, Encoding>, key: string): void {
    const found = objects.get(key);
    if (!found) return;
    objects.delete(key);
    this.#bytes -= sizeOf(found);
  }

  /** Begins a new turn, and drops messages that were not used in the last ones. To be called at regular intervals. */
  turn(): void {
    this.#turn++;
    for (const [form, objects] of this.#forms) {
      for (const [key, { lastUsed }] of objects) if (lastUsed < this.#turn - maxIdleTurns) this.#remove(objects, key);
      if (objects.size === 0) this.#forms.delete(form);
    }
  }
}
