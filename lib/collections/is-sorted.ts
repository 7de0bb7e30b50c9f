/** Whether texts stand in the order of their UTF-16 units, as `sort` puts them. hot: mostly they do. */
export function isSorted(texts: readonly string[]): boolean {
  for (let i = 1; i < texts.length; i++) if ((texts[i - 1] ?? '') > (texts[i] ?? '')) return false;
  return true;
}
