/** Random names. Randomness comes in: `crypto.randomBytes` outside of tests. */
import { alphabet } from './hash.js';

export type RandomBytes = (size: number) => Uint8Array;

/** Characters of the alphabet of generated names (no vowels, no look-alikes). as apimachinery/pkg/util/rand String */
export function randomString(length: number, random: RandomBytes): string {
  let out = '';
  while (out.length < length) {
    for (const byte of random(length - out.length + 2)) {
      const at = byte & 31;
      if (at < alphabet.length && out.length < length) out += alphabet[at];
    }
  }
  return out;
}

const suffixLength = 5;
const baseLength = 63 - suffixLength;

/** A name from metadata.generateName. as apiserver/pkg/storage/names SimpleNameGenerator */
export function generateName(base: string, random: RandomBytes): string {
  const kept = base.length <= baseLength ? base : base.slice(0, baseLength);
  return kept + randomString(suffixLength, random);
}

/** A random (version 4) UUID. */
export function uuid(random: RandomBytes): string {
  const bytes = Uint8Array.from(random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
