const backslash = 0x5c;

/** Returns the index after the string that begins at an index of a JSON text; the end of the text for a string without an end. */
export function afterString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}
