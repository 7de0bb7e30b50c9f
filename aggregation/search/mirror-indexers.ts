/** The indexes of a mirror for label and field selectors. */
import type { Indexers } from '../../client/runtime/interface.js';
import type { Cached } from './cached.js';

/** Maximum number of texts that are kept to be shared. */
const maxTexts = 16_384;

/** Returns one string for equal texts, so that the values of many objects take the memory of one. */
class SharedTexts {
  readonly #known = new Map<string, string>();

  get(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= maxTexts) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}

const nothing: readonly string[] = [];

/** Returns the value of an index for a label or field. */
export const indexValue = (key: string, value: string): string => `${key}=${value}`;

/** Labels from which on an object is found by this value only, and then compared: a member may send objects with tens of thousands. */
const maxLabels = 256;
export const manyLabels = '';

function hasManyLabels(labels: Readonly<Record<string, string>> | undefined): boolean {
  let count = 0;
  for (const key in labels) if (labels[key] !== undefined && ++count > maxLabels) return true;
  return false;
}

/** Returns the indexers of one mirror, which share the texts of their values. */
export function mirrorIndexers(): Indexers<Cached> {
  const texts = new SharedTexts();
  const valuesOf = (table: Readonly<Record<string, string>> | undefined): readonly string[] => {
    let values: string[] | undefined;
    for (const key in table) (values ??= []).push(texts.get(indexValue(key, table[key] ?? '')));
    return values ?? nothing;
  };
  return {
    labels: ({ metadata: { labels } }) => (hasManyLabels(labels) ? [manyLabels] : valuesOf(labels)),
    fields: ({ fields }) => valuesOf(fields),
  };
}
