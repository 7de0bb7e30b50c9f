import { LRUCache } from 'lru-cache';
import { jsonText } from '../../../../lib/json/json.js';
import type { PodSpec } from '../../../../api/kubernetes/core.js';

/** Of all texts together, and of the longest that is kept, in characters. */
const room = 1024 * 1024;
const longest = 16 * 1024;

/**
 * Has a spec judged, unless nothing was wrong with it before. `judge`: says whether nothing is; `besides`: what else it goes by, which must be
 * all.
 */
export type JudgeSpec = (spec: PodSpec, besides: string, judge: () => boolean) => void;

/** Of what specs of one text were judged by. */
const maxBesides = 8;

/**
 * Specs that were judged before. hot: workloads are written again and again, and their templates hardly ever change. Only those in which
 * nothing was found are kept, since faults tell where they stand.
 */
export function createKnownSpecs(): JudgeSpec {
  const sound = new LRUCache<string, readonly string[]>({ maxSize: room, sizeCalculation: (_, text) => text.length });
  return (spec, besides, judge) => {
    const text = jsonText(spec);
    const known = sound.get(text) ?? [];
    if (known.includes(besides)) return;
    if (judge() && text.length <= longest) sound.set(text, [besides, ...known.slice(0, maxBesides - 1)]);
  };
}
