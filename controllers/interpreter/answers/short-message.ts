/** Characters of a message, which becomes part of Events and conditions. A script may raise an error with any text, and a webhook may answer any text. */
const maxMessage = 1_000;

/** Bytes of UTF-8 that are enough for a message: no character takes more for each of its one or two UTF-16 units. */
export const maxMessageBytes = 4 * maxMessage;

/** Returns the beginning of a message, without half of a surrogate pair at its end. */
export const shortMessage = (text: string): string =>
  text.length <= maxMessage ? text : text.slice(0, maxMessage).replace(/[\ud800-\udbff]$/, '');
