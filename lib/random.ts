/** Random names. The source of randomness is a parameter: `crypto.randomBytes` outside of tests. */
import { alphabet } from './hash.js';

export type RandomBytes = (size: number) => Uint8Array;

/** Returns random characters of the alphabet of generated names (no vowels, no look-alikes). as apimachinery/pkg/util/rand String */
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

/** Returns a name for metadata.generateName. as apiserver/pkg/storage/names SimpleNameGenerator */
export function generateName(base: string, random: RandomBytes): string {
  const kept = base.length <= baseLength ? base : base.slice(0, baseLength);
  return kept + randomString(suffixLength, random);
}

/** Returns a random (version 4) UUID. hot: each new object has one. */
export function uuid(random: RandomBytes): string {
  const bytes = random(16);
  let out = '';
  for (let i = 0; i < 16; i++) {
    let byte = bytes[i] ?? 0;
    if (i === 6) byte = (byte & 0x0f) | 0x40;
    else if (i === 8) byte = (byte & 0x3f) | 0x80;
    out += octets[byte];
    if (i === 3 || i === 5 || i === 7 || i === 9) out += '-';
  }
  return out;
}

const octets = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
