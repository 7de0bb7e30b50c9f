import { LRUCache } from 'lru-cache';
import { jsonText } from '../../../../lib/json/json.js';
import type { PodSpec } from '../../../../api/kubernetes/core.js';

/** The limits for all texts together and for one text, in characters. */
const maxTotalChars = 1024 * 1024;
const maxSpecChars = 16 * 1024;

/**
 * Calls `validate`, unless the spec was validated before without errors. `validate` reports whether there are none; `besides`: all other input of
 * the validation.
 */
type ValidateOnce = (spec: PodSpec, besides: string, validate: () => boolean) => void;

/** Holds the text of the spec whose rules were checked last: its warnings follow, and need the same text. */
class CheckedSpec {
  #spec: PodSpec | undefined;
  #text = '';

  /** Returns the text of a spec, and keeps it for `take`. */
  keep(spec: PodSpec): string {
    this.#spec = spec;
    return (this.#text = jsonText(spec));
  }

  /** Returns the text of a spec, and keeps it no longer. */
  take(spec: PodSpec): string {
    const text = this.#spec === spec ? this.#text : jsonText(spec);
    this.#spec = undefined;
    this.#text = '';
    return text;
  }
}

const checked = new CheckedSpec();

/** How many values of `besides` are kept for one text. */
const maxBesides = 8;

/**
 * Remembers specs that were validated before. hot: workloads are written again and again, and their templates rarely change. Only specs without
 * errors are kept, since errors contain their paths. The rules of an object run before its warnings, and nothing changes the object in between.
 */
export function createKnownSpecs(use: 'rules' | 'warnings'): ValidateOnce {
  const valid = new LRUCache<string, readonly string[]>({
    maxSize: maxTotalChars,
    sizeCalculation: (_, text) => text.length,
  });
  return (spec, besides, validate) => {
    const text = use === 'rules' ? checked.keep(spec) : checked.take(spec);
    const validatedWith = valid.get(text) ?? [];
    if (validatedWith.includes(besides)) return;
    if (validate() && text.length <= maxSpecChars)
      valid.set(text, [besides, ...validatedWith.slice(0, maxBesides - 1)]);
  };
}
