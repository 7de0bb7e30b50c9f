import { type LargeIntegers, parseJson } from '../../lib/json/json.js';
import { DecodeError } from './decode-error.js';
import { parseStrict } from './strict-json.js';

/** Throws DecodeError with Go's text for a text that JSON.parse refuses. V8's own texts differ between versions. */
export function refuseJson(text: string): never {
  parseStrict(text);
  throw new DecodeError('unexpected end of JSON input');
}

/** Parses JSON from clients and other servers. Throws DecodeError with Go's text of a syntax error. hot: JSON.parse does the work for valid text. */
export function readJson(text: string, largeIntegers?: LargeIntegers): unknown {
  try {
    return parseJson(text, largeIntegers);
  } catch {
    return refuseJson(text);
  }
}
