/** Splits the JSON of a list into its items while it arrives, so that no list is in memory as one text. */
import { ByteCollector } from '../byte-collector.js';
import { maxListHeadBytes, maxObjectBytes, sizeText } from '../limits.js';
import { ValueCounter, checkCounts, type Refuse } from '../read-json.js';

/** The text of one item. Valid until the next chunk is passed in. */
interface ItemText {
  readonly bytes: Buffer;
  /** The number of JSON values in it. */
  readonly values: number;
}

const space = 0x20;
const comma = 0x2c;
const opensList = 0x5b;
const closesList = 0x5d;
const opensObject = 0x7b;
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

const itemsKey = Buffer.from('items');

/**
 * Splits `{"kind":"PodList","metadata":{...},"items":[ITEM,ITEM,...]}`: items are returned one by one; the rest is collected, with an empty
 * list of items. The content of items is not checked.
 */
export class ListSplitter {
  readonly #refuse: Refuse;
  readonly #maxRestBytes: number;
  readonly #rest = new ByteCollector();
  readonly #item = new ByteCollector();
  #counter = new ValueCounter();
  #state: 'outside' | 'between' | 'inside' = 'outside';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The number of bytes of the key `items` that the current string matches so far; -1: it differs. */
  #matched = -1;
  /** `items`: the last token is the string `items` at depth 1; `colon`: the colon after it. */
  #key: 'other' | 'items' | 'colon' = 'other';
  #count = 0;
  #commas = 0;
  #itemsAt = -1;

  /** `maxRestBytes`: maximum bytes of the list without its items. */
  constructor(refuse: Refuse, maxRestBytes = maxListHeadBytes) {
    this.#refuse = refuse;
    this.#maxRestBytes = maxRestBytes;
  }

  /** The position of the items in the rest: after their opening bracket; -1 when there are none. */
  get itemsAt(): number {
    return this.#itemsAt;
  }

  /** Yields the items that end in this chunk. */
  *take(chunk: Buffer): Generator<ItemText> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'outside') at = this.#outside(chunk, at);
      else if (this.#state === 'between') at = this.#between(chunk, at);
      else {
        const end = this.#counter.take(chunk, at, 0);
        this.#gather(chunk.subarray(at, end < 0 ? chunk.length : end));
        if (end < 0) return;
        at = end;
        this.#state = 'between';
        this.#count++;
        checkCounts(this.#counter, this.#refuse);
        const { values } = this.#counter;
        yield { bytes: this.#item.take(), values };
      }
    }
  }

  /** Ends the input. Returns the list without its items. */
  end(): Buffer {
    if (this.#state !== 'outside' || this.#depth !== 0 || this.#commas !== Math.max(this.#count - 1, 0))
      this.#refuse('it is not JSON');
    return this.#rest.take();
  }

  #gather(piece: Buffer): void {
    this.#item.append(piece);
    if (this.#item.length > maxObjectBytes) this.#refuse(`an item is longer than ${sizeText(maxObjectBytes)}`);
    if (this.#counter.values > 0) checkCounts(this.#counter, this.#refuse);
  }

  #appendRest(piece: Buffer): void {
    this.#rest.append(piece);
    if (this.#rest.length > this.#maxRestBytes)
      this.#refuse(`it is longer than ${sizeText(this.#maxRestBytes)} without its items`);
  }

  /** Reads up to and including the bracket that opens the items. Returns the position after it. */
  #outside(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? space;
      if (this.#inString) this.#stringByte(byte);
      else if (this.#structureByte(byte)) {
        this.#state = 'between';
        this.#appendRest(chunk.subarray(from, at + 1));
        this.#itemsAt = this.#rest.length;
        return at + 1;
      }
    }
    this.#appendRest(chunk.subarray(from, at));
    return at;
  }

  #stringByte(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) {
      this.#isEscaped = true;
      this.#matched = -1;
    } else if (byte === quote) {
      this.#inString = false;
      this.#key = this.#depth === 1 && this.#matched === itemsKey.length ? 'items' : 'other';
    } else if (this.#matched >= 0) this.#matched = itemsKey[this.#matched] === byte ? this.#matched + 1 : -1;
  }

  /** Handles a byte outside of strings. Returns whether it opens the items. */
  #structureByte(byte: number): boolean {
    if (byte <= space) return false;
    if (byte === quote) {
      this.#inString = true;
      this.#matched = 0;
      return false;
    }
    if (byte === colon) {
      if (this.#key === 'items') this.#key = 'colon';
      return false;
    }
    const opens = this.#key === 'colon' && byte === opensList && this.#itemsAt < 0;
    this.#key = 'other';
    if (byte === opensObject || byte === opensList) this.#depth++;
    else if (byte === 0x7d || byte === closesList) this.#depth--;
    return opens;
  }

  /** Reads between two items, up to the beginning of an item or the end of the list. Returns the position. */
  #between(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? space;
      if (byte <= space) continue;
      if (byte === comma) this.#commas++;
      else if (byte === opensObject) {
        this.#state = 'inside';
        this.#counter = new ValueCounter();
        return at;
      } else if (byte === closesList) {
        this.#state = 'outside';
        return at; // The bracket itself is part of the rest.
      } else this.#refuse('its items are not objects');
    }
    return chunk.length;
  }
}
