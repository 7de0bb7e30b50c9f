import { type Beyond, parseJson } from '../../lib/json/json.js';
import { DecodeError } from './decode-error.js';
import { parseStrict } from './strict-json.js';

/** Throws DecodeError: what is wrong with a text that JSON.parse refuses, as Go says it. The engine's words change from version to version. */
export function refuseJson(text: string): never {
  parseStrict(text);
  throw new DecodeError('unexpected end of JSON input');
}

/** JSON that others wrote. Throws DecodeError with Go's text of a syntax error. hot: what has none is read by the engine alone. */
export function readJson(text: string, beyond?: Beyond): unknown {
  try {
    return parseJson(text, beyond);
  } catch {
    return refuseJson(text);
  }
}
