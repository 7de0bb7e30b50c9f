/** Encodes documents of any size in steps. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../apimachinery/interface.js';
import { isMap } from '../../lib/json/is-map.js';
import { jsonText } from '../../lib/json/json.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { Encoded } from './interface.js';

/** Maximum number of values of an object that are encoded in one step. */
const maxValuesPerStep = 200;

/** Subtracts the number of values in a value from a budget. Returns the remaining budget, below 0 if it is exceeded. */
function subtractValues(value: unknown, left: number): number {
  left--;
  if (typeof value !== 'object' || value === null) return left;
  for (const part of Object.values(value)) {
    if (left < 0) break;
    left = subtractValues(part, left);
  }
  return left;
}

/** Number of characters that are encoded in one step. */
const pieceLength = 256 * 1024;

/** Collects the parts of a text, and encodes and hashes them in pieces. */
class Pieces {
  readonly #hash = createHash('sha512');
  readonly #pieces: Buffer[] = [];
  #parts: string[] = [];
  #length = 0;

  add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= pieceLength) this.#flush();
  }

  #flush(): void {
    const piece = Buffer.from(this.#parts.join(''));
    this.#hash.update(piece);
    this.#pieces.push(piece);
    this.#parts = [];
    this.#length = 0;
  }

  *end(): InSteps<Encoded> {
    this.#flush();
    const json = Buffer.allocUnsafeSlow(this.#pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      at += piece.copy(json, at);
      yield undefined;
    }
    return { json, hash: this.#hash.digest('hex').toUpperCase() };
  }
}

/** Writes the JSON of an object. Objects with many values are written member by member. */
function* write(object: JsonObject, pieces: Pieces): InSteps<void> {
  let separator = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    pieces.add(`${separator}${jsonText(name)}:`);
    separator = ',';
    if (isMap(value) && subtractValues(value, maxValuesPerStep) < 0) yield* write(value, pieces);
    else pieces.add(jsonText(value));
    yield undefined;
  }
  pieces.add(separator === '{' ? '{}' : '}');
}

/** Encodes a document, and computes the hash of the bytes, in steps. */
export function* encodeSteps(document: JsonObject): InSteps<Encoded> {
  const pieces = new Pieces();
  yield* write(document, pieces);
  return yield* pieces.end();
}
