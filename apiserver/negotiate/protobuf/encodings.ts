import type { Stored } from '../../../registry/pipeline/interface.js';

interface Encoding {
  readonly revision: number;
  readonly length: number;
  /** Undefined where there was no room: only the length is known. */
  readonly bytes: Buffer | undefined;
  used: number;
}

/** Bytes that all messages together may take, and that each takes besides its own. */
const maxBytes = 128 * 1024 * 1024;
const besides = 256;
/** Turns after which a message that nobody asked for goes. */
const patience = 5;

const roomOf = ({ bytes }: Encoding): number => besides + (bytes?.length ?? 0);

/**
 * Messages of stored objects, made when a client first reads them in protobuf, for all who read them after that. What does not fit is made
 * again for each reader: those that are kept stay, since who lists reads everything in turn, and would push out each just before it is
 * wanted. What nobody reads goes with time.
 */
export class Encodings {
  /** By form (the version, or metadata alone), then by the key of the object. */
  readonly #forms = new Map<string, Map<string, Encoding>>();
  readonly #most: number;
  #bytes = 0;
  #turn = 0;

  constructor(most = maxBytes) {
    this.#most = most;
  }

  /** Bytes that it takes, about. */
  get bytes(): number {
    return this.#bytes;
  }

  #find(form: string, { key, revision }: Stored): Encoding | undefined {
    const found = this.#forms.get(form)?.get(key);
    if (found?.revision !== revision) return undefined;
    found.used = this.#turn;
    return found;
  }

  find(form: string, stored: Stored): Buffer | undefined {
    return this.#find(form, stored)?.bytes;
  }

  /** hot: the message, made by `make` if it is not there. The same object in the same form has to become the same bytes. */
  get(form: string, stored: Stored, make: () => Buffer): Buffer {
    const found = this.#find(form, stored);
    return found?.bytes ?? this.#keep(form, stored, found, make());
  }

  /** hot: the length of the message, which `make` makes if it was never made. */
  lengthOf(form: string, stored: Stored, make: () => Buffer): number {
    return this.#find(form, stored)?.length ?? this.#keep(form, stored, undefined, make()).length;
  }

  #keep(form: string, { key, revision }: Stored, known: Encoding | undefined, bytes: Buffer): Buffer {
    let objects = this.#forms.get(form);
    if (!objects) this.#forms.set(form, (objects = new Map<string, Encoding>()));
    const before = known ?? objects.get(key);
    if (before && before.revision > revision) return bytes; // an older state: of a list at a revision, of a watch that is behind
    const free = this.#most - this.#bytes + (before ? roomOf(before) : 0);
    if (free < besides) return bytes;
    const kept = free >= besides + bytes.length ? bytes : undefined;
    const made: Encoding = { revision, length: bytes.length, bytes: kept, used: this.#turn };
    objects.set(key, made);
    this.#bytes += roomOf(made) - (before ? roomOf(before) : 0);
    return bytes;
  }

  /** The object is gone. */
  drop({ key }: Stored): void {
    for (const objects of this.#forms.values()) this.#remove(objects, key);
  }

  #remove(objects: Map<string, Encoding>, key: string): void {
    const found = objects.get(key);
    if (!found) return;
    objects.delete(key);
    this.#bytes -= roomOf(found);
  }

  /** Some time has passed. */
  turn(): void {
    this.#turn++;
    for (const [form, objects] of this.#forms) {
      for (const [key, { used }] of objects) if (used < this.#turn - patience) this.#remove(objects, key);
      if (objects.size === 0) this.#forms.delete(form);
    }
  }
}
