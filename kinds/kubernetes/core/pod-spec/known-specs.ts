import { LRUCache } from 'lru-cache';
import { jsonText } from '../../../../lib/json/json.js';
import type { PodSpec } from '../../../../api/kubernetes/core.js';

/** The limits for all texts together and for one text, in characters. */
const maxTotalChars = 1024 * 1024;
const maxSpecChars = 16 * 1024;

/**
 * Validates a spec with `judge`, unless it was validated before without errors. `judge` returns whether there are none; `besides`: all other
 * input of the validation.
 */
export type JudgeSpec = (spec: PodSpec, besides: string, judge: () => boolean) => void;

/** How many values of `besides` are kept for one text. */
const maxBesides = 8;

/**
 * Remembers specs that were validated before. hot: workloads are written again and again, and their templates rarely change. Only specs without
 * errors are kept, since errors contain their paths.
 */
export function createKnownSpecs(): JudgeSpec {
  const sound = new LRUCache<string, readonly string[]>({
    maxSize: maxTotalChars,
    sizeCalculation: (_, text) => text.length,
  });
  return (spec, besides, judge) => {
    const text = jsonText(spec);
    const validatedWith = sound.get(text) ?? [];
    if (validatedWith.includes(besides)) return;
    if (judge() && text.length <= maxSpecChars) sound.set(text, [besides, ...validatedWith.slice(0, maxBesides - 1)]);
  };
}
