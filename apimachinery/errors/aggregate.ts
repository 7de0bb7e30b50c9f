/** Returns one text for several errors, without duplicates; more than one are in brackets. as apimachinery/pkg/util/errors Aggregate */
export function aggregate(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
