/** Encodes documents of any size in steps. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../apimachinery/interface.js';
import { isMap } from '../../lib/json/is-map.js';
import { jsonText } from '../../lib/json/json.js';
import { LargeValues } from '../../lib/json/large-values.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { Encoded } from './interface.js';

/** Maximum number of values of an object that are encoded in one step. */
const maxValuesPerStep = 200;

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
function* write(object: JsonObject, pieces: Pieces, large: LargeValues): InSteps<void> {
  let separator = '{';
  for (const name of large.keysOf(object)) {
    const value = object[name];
    if (value === undefined) continue;
    pieces.add(`${separator}${jsonText(name)}:`);
    separator = ',';
    if (isMap(value) && large.isLarge(value)) yield* write(value, pieces, large);
    else pieces.add(jsonText(value));
    yield undefined;
  }
  pieces.add(separator === '{' ? '{}' : '}');
}

/** Encodes a document, and computes the hash of the bytes, in steps. */
export function* encodeSteps(document: JsonObject): InSteps<Encoded> {
  const pieces = new Pieces();
  yield* write(document, pieces, new LargeValues(maxValuesPerStep));
  return yield* pieces.end();
}
