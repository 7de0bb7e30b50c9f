/** Hashes that names and labels are built from: they are on the wire, so they must be these. */

/** FNV-1a, 32 bits, over the bytes of a text in UTF-8. */
export function fnv32a(text: string | Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of typeof text === 'string' ? Buffer.from(text) : text) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** The alphabet of generated names. */
export const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Each character mapped into the alphabet. as apimachinery/pkg/util/rand SafeEncodeString */
export function safeEncode(text: string): string {
  let out = '';
  for (const rune of text) out += alphabet[(rune.codePointAt(0) ?? 0) % alphabet.length];
  return out;
}
