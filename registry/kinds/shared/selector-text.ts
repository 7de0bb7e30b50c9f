import type { LabelSelector } from '../types/meta.js';

const operators: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: key => key,
  DoesNotExist: key => `!${key}`,
};

/** A label selector in the syntax of query parameters; undefined for one with an unknown operator. */
export function labelSelectorText(selector: LabelSelector): string | undefined {
  const terms = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  for (const { key = '', operator = '', values } of selector.matchExpressions ?? []) {
    const write = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    if (!write) return undefined;
    terms.push({ key, text: write(key, [...(values ?? [])].sort().join(',')) });
  }
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(t => t.text)
    .join(',');
}
