import { LRUCache } from 'lru-cache';
import { jsonText } from '../../../../openapi/meta/json.js';
import type { PodSpec } from '../../types/core.js';

/** Of all texts together, and of the longest that is kept, in characters. */
const room = 1024 * 1024;
const longest = 16 * 1024;

/**
 * Says whether nothing is wrong with a spec. `besides`: whatever else `judge` goes by, which must depend on nothing further, and is true when
 * nothing was found.
 */
export type KnownSpecs = (spec: PodSpec, besides: string, judge: () => boolean) => boolean;

/**
 * Specs that were judged before. hot: workloads are written again and again, and their templates hardly ever change. Only those in which
 * nothing was found are kept, since faults tell where they stand.
 */
export function createKnownSpecs(): KnownSpecs {
  const sound = new LRUCache<string, true>({ maxSize: room, sizeCalculation: (_, text) => text.length });
  return (spec, besides, judge) => {
    const text = besides + jsonText(spec);
    if (text.length > longest) return judge();
    if (sound.get(text)) return true;
    const isSound = judge();
    if (isSound) sound.set(text, true);
    return isSound;
  };
}
