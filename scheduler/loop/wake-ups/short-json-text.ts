import { createHash } from 'node:crypto';
import { jsonText } from '../../../lib/json/json.js';

/** Characters of a text by which bindings are compared; longer ones are compared by their digests. */
export const maxClassText = 16_384;

/** Returns how many of `left` characters remain after the JSON of a value, at most; reads no more of the value once none remain. */
function charactersLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - 2;
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - 1;
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) {
      rest = charactersLeft(each, rest - 1);
      if (rest < 0) break;
    }
    return rest;
  }
  for (const [key, each] of Object.entries(value)) {
    rest = charactersLeft(each, rest - key.length - 4);
    if (rest < 0) break;
  }
  return rest;
}

/** Returns the JSON of a value; undefined if it has more than `max` characters, which is found out without writing them. */
export function shortJsonText(value: unknown, max: number): string | undefined {
  if (charactersLeft(value, max) < 0) return undefined;
  const text = jsonText(value);
  return text.length > max ? undefined : text;
}

/** Returns a text that stands for another one, and is no longer than `maxClassText`: no JSON text of that length equals the digest of a longer one. */
export const textOrDigest = (text: string): string =>
  text.length > maxClassText ? `sha256 ${createHash('sha256').update(text).digest('base64')}` : text;
