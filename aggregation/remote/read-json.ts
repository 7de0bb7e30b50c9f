/** JSON of other servers, within bounds of size, depth and number of values, so that reading it takes little time. */
import { maxDepth } from '../../lib/json/depth.js';
import { parseJson } from '../../lib/json/json.js';
import { maxValues } from './limits.js';

const quote = 0x22;
const backslash = 0x5c;

/** Says what is wrong with a document; the caller knows whose it is. */
export type Refuse = (fault: string) => never;

/** Counts the values of a JSON text and how deep they nest. The text may come in pieces; a wrong text is counted somehow. */
export class Census {
  /** Commas and brackets outside of strings. */
  values = 0;
  depth = 0;
  deepest = 0;
  #inString = false;
  #isEscaped = false;

  get inString(): boolean {
    return this.#inString;
  }

  /** Counts up to and including the byte at which `depth` falls to `floor`, and returns where it ends; -1 when it does not. */
  take(bytes: Uint8Array, from: number, floor: number): number {
    let inString = this.#inString;
    let isEscaped = this.#isEscaped;
    let { depth, values } = this;
    let at = from;
    let end = -1;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === 0x2c) values++;
      else if (byte === 0x7b || byte === 0x5b) {
        values++;
        if (++depth > this.deepest) this.deepest = depth;
      } else if (byte === 0x7d || byte === 0x5d) {
        if (--depth <= floor) {
          end = at + 1;
          break;
        }
      }
    }
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    this.depth = depth;
    this.values = values;
    return end;
  }
}

/** Refuses what has too many values or nests too deep. */
export function checkCensus({ values, deepest }: Pick<Census, 'values' | 'deepest'>, refuse: Refuse): void {
  if (deepest > maxDepth) refuse(`it nests deeper than ${maxDepth} levels`);
  if (values > maxValues) refuse(`it has more than ${maxValues} values`);
}

/** The values of a text when there are many, 0 when there are few; refuses too many, and what nests too deep. hot: nothing is counted of what is short. */
export function measured(bytes: Buffer, refuse: Refuse): number {
  // A level takes two bytes at least, and so does a value.
  if (bytes.length <= 2 * maxDepth || (bytes.length <= 2 * maxValues && !opensMany(bytes))) return 0;
  const census = new Census();
  census.take(bytes, 0, -1);
  checkCensus(census, refuse);
  return census.values;
}

/** A document that is read whole; its size was checked while it arrived. */
export function readBounded(bytes: Buffer, refuse: Refuse): unknown {
  measured(bytes, refuse);
  return parsed(bytes, refuse);
}

/** Parses a text whose bounds were checked. */
export function parsed(bytes: Buffer, refuse: Refuse): unknown {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch {
    return refuse('it is not JSON');
  }
}

const openers = [0x7b, 0x5b];

/** Whether a text opens more objects and lists than may nest. */
function opensMany(bytes: Buffer): boolean {
  let opened = 0;
  for (const opener of openers)
    for (let at = bytes.indexOf(opener); at >= 0; at = bytes.indexOf(opener, at + 1))
      if (++opened > maxDepth) return true;
  return false;
}
