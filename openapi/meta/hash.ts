/** Hashes that names and labels are built from: they are on the wire, so they must be these. */

/** FNV-1a, 32 bits, over the bytes of a text in UTF-8. */
export function fnv32a(text: string | Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of typeof text === 'string' ? Buffer.from(text) : text) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const prime64 = 0x100000001b3n;
const mask64 = 2n ** 64n - 1n;

/** FNV-1a, 64 bits. */
export function fnv64a(text: string | Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of typeof text === 'string' ? Buffer.from(text) : text)
    hash = ((hash ^ BigInt(byte)) * prime64) & mask64;
  return hash;
}

/** The alphabet of generated names. */
export const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Each character mapped into the alphabet. as apimachinery/pkg/util/rand SafeEncodeString */
export function safeEncode(text: string): string {
  let out = '';
  for (const rune of text) out += alphabet[(rune.codePointAt(0) ?? 0) % alphabet.length];
  return out;
}
