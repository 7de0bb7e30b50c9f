/** Several errors as one text: each once, in brackets when there are several. as apimachinery/pkg/util/errors Aggregate */
export function aggregate(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
