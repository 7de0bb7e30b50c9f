/** Base64, as Go's JSON decoder reads and its encoder writes it. */

const other = /[^A-Za-z0-9+/]/;
/** Matches an end with bits beyond the last byte. */
const setBits = /[^AQgw]==$|[^AEIMQUYcgkosw048=]=$/;

/**
 * Returns whether the text is base64 with padding and without line breaks. Bits beyond the last byte may be set. Reads it once: a pattern for the
 * whole of a long text needs more stack than there is, and takes ten times as long.
 */
export function isPaddedBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const end = text.search(other);
  return end < 0 || (end >= text.length - 2 && /^==?$/.test(text.slice(end)));
}

/** Returns whether the text is what Go's encoder writes. */
const isCanonical = (text: string): boolean => isPaddedBase64(text) && !setBits.test(text.slice(-3));

/** Returns the text of Go's error, or undefined for valid base64. Line breaks are ignored; bits beyond the last byte may be set. */
export function base64Error(text: string): string | undefined {
  if (isPaddedBase64(text)) return undefined;
  const at = (index: number): string => `illegal base64 data at input byte ${index}`;
  let inQuantum = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? '';
    if (c === '\n' || c === '\r') continue;
    if (c === '=') return paddingError(text, i, inQuantum, at);
    if (!/[A-Za-z0-9+/]/.test(c)) return at(i);
    if (inQuantum === 0) start = i;
    inQuantum = (inQuantum + 1) % 4;
  }
  return inQuantum === 0 ? undefined : at(start);
}

function paddingError(text: string, first: number, inQuantum: number, at: (i: number) => string): string | undefined {
  if (inQuantum < 2) return at(first);
  const skip = (from: number): number => {
    let i = from;
    while (text[i] === '\n' || text[i] === '\r') i++;
    return i;
  };
  let end = skip(first + 1);
  if (inQuantum === 2) {
    if (end === text.length) return at(text.length);
    if (text[end] !== '=') return at(end);
    end = skip(end + 1);
  }
  return end < text.length ? at(end) : undefined;
}

/** Returns the canonical text of the same bytes. The text must be valid. */
export function canonicalBase64(text: string): string {
  return isCanonical(text) ? text : Buffer.from(text, 'base64').toString('base64');
}

/** Encodes a text, in UTF-8. */
export const toBase64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
