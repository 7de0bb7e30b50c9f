/** Returns items for a sentence: the texts of all, or of the first `max` with the number of others, as `a, b and 3 more`. */
export function shownList<T>(items: readonly T[], max: number, textOf: (item: T) => string): string {
  const more = items.length > max ? ` and ${items.length - max} more` : '';
  return `${items.slice(0, max).map(textOf).join(', ')}${more}`;
}
