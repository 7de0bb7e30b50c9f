/** Hashes for names and labels. They are visible in the API, so they must equal upstream's. */

/** Returns the 32-bit FNV-1a of the UTF-8 bytes of a text. */
export function fnv32a(text: string | Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of typeof text === 'string' ? Buffer.from(text) : text) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** The alphabet of generated names. */
export const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Maps each character into the alphabet. as apimachinery/pkg/util/rand SafeEncodeString */
export function safeEncode(text: string): string {
  let out = '';
  for (const rune of text) out += alphabet[(rune.codePointAt(0) ?? 0) % alphabet.length];
  return out;
}
