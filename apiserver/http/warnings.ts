const totalRunes = 4096;
const itemRunes = 256;

/** Number of different texts from which further ones would not be sent: each that is sent has a character of the budget. */
export const maxWarnings = 2 * totalRunes;

/** Returns a header value for Node: non-ASCII characters as the latin1 form of their UTF-8 bytes, since Node refuses others. */
const headerText = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/**
 * Returns `299 - "text"`; undefined for a text with control characters, which no header can carry. as apimachinery/pkg/util/net/http.go
 * NewWarningHeader
 */
export function warningHeader(text: string): string | undefined {
  if (/\p{Cc}/u.test(text)) return undefined;
  return headerText(`299 - "${text.replace(/["\\]/g, '\\$&')}"`);
}

/** Returns the first characters of a text, one more than the budget: a text may be megabytes long. */
const runes = (text: string): string[] => [...text.slice(0, 2 * (totalRunes + 1))].slice(0, totalRunes + 1);

/**
 * Returns the Warning headers of an answer, in order; all are shortened once they exceed the budget together.
 * as apiserver/pkg/endpoints/filters/warning.go recorder
 */
export function warningHeaders(texts: ReadonlySet<string>): string[] {
  const unique = [...texts].filter(text => text !== '');
  let total = 0;
  for (const text of unique) total += text.length <= itemRunes ? text.length : runes(text).length;
  const shorten = total > totalRunes;
  const headers: string[] = [];
  let written = 0;
  for (const text of unique) {
    if (shorten && written >= totalRunes) break;
    const letters = shorten ? runes(text).slice(0, itemRunes) : undefined;
    const header = warningHeader(letters ? letters.join('') : text);
    if (header === undefined) continue;
    written += letters?.length ?? 0;
    headers.push(header);
  }
  return headers;
}
