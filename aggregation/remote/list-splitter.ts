/** Takes the JSON of a list apart while it arrives, so that no list is ever in memory as one text. */
import { Gathered } from './gathered.js';
import { largestListHead, largestObject, sizeText } from './limits.js';
import { Census, checkCensus, type Refuse } from './read-json.js';

/** The text of one item. Valid until the next chunk is taken in. */
export interface ItemText {
  readonly bytes: Buffer;
  /** JSON values in it. */
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
 * `{"kind":"PodList","metadata":{...},"items":[ITEM,ITEM,...]}`: items are handed out one by one, everything else is kept, with an
 * empty list in their place. What the items themselves say is not looked at.
 */
export class ListSplitter {
  readonly #refuse: Refuse;
  readonly #longestRest: number;
  readonly #rest = new Gathered();
  readonly #item = new Gathered();
  #census = new Census();
  #place: 'outside' | 'between' | 'inside' = 'outside';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Bytes of the key `items` that the string at depth 1 has matched; -1: it is another one. */
  #matched = -1;
  /** A string `items` has ended at depth 1, and then a colon came. */
  #key: 'other' | 'items' | 'colon' = 'other';
  #count = 0;
  #commas = 0;
  #itemsAt = -1;

  /** `longestRest`: bytes of the list besides its items. */
  constructor(refuse: Refuse, longestRest = largestListHead) {
    this.#refuse = refuse;
    this.#longestRest = longestRest;
  }

  /** Where in the rest the items were: behind their opening bracket; -1: there were none. */
  get itemsAt(): number {
    return this.#itemsAt;
  }

  /** Yields the items that end in this chunk. */
  *take(chunk: Buffer): Generator<ItemText> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#place === 'outside') at = this.#outside(chunk, at);
      else if (this.#place === 'between') at = this.#between(chunk, at);
      else {
        const end = this.#census.take(chunk, at, 0);
        this.#gather(chunk.subarray(at, end < 0 ? chunk.length : end));
        if (end < 0) return;
        at = end;
        this.#place = 'between';
        this.#count++;
        checkCensus(this.#census, this.#refuse);
        const { values } = this.#census;
        yield { bytes: this.#item.take(), values };
      }
    }
  }

  /** The list without its items. */
  end(): Buffer {
    if (this.#place !== 'outside' || this.#depth !== 0 || this.#commas !== Math.max(this.#count - 1, 0))
      this.#refuse('it is not JSON');
    return this.#rest.take();
  }

  #gather(piece: Buffer): void {
    this.#item.append(piece);
    if (this.#item.length > largestObject) this.#refuse(`an item is longer than ${sizeText(largestObject)}`);
    if (this.#census.values > 0) checkCensus(this.#census, this.#refuse);
  }

  #keep(piece: Buffer): void {
    this.#rest.append(piece);
    if (this.#rest.length > this.#longestRest)
      this.#refuse(`what stands beside its items is longer than ${sizeText(this.#longestRest)}`);
  }

  /** Up to and including the bracket that opens the items; returns where it stopped. */
  #outside(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? space;
      if (this.#inString) this.#stringByte(byte);
      else if (this.#structureByte(byte)) {
        this.#place = 'between';
        this.#keep(chunk.subarray(from, at + 1));
        this.#itemsAt = this.#rest.length;
        return at + 1;
      }
    }
    this.#keep(chunk.subarray(from, at));
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

  /** Whether this byte opens the items. */
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

  /** Between two items, up to the beginning of one or behind the end of all. */
  #between(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? space;
      if (byte <= space) continue;
      if (byte === comma) this.#commas++;
      else if (byte === opensObject) {
        this.#place = 'inside';
        this.#census = new Census();
        return at;
      } else if (byte === closesList) {
        this.#place = 'outside';
        return at; // the bracket itself is part of the rest
      } else this.#refuse('its items are not objects');
    }
    return chunk.length;
  }
}
