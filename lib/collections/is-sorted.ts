/** Returns whether strings are in the order of their UTF-16 units, as `sort` orders them. hot: usually true. */
export function isSorted(texts: readonly string[]): boolean {
  for (let i = 1; i < texts.length; i++) if ((texts[i - 1] ?? '') > (texts[i] ?? '')) return false;
  return true;
}
