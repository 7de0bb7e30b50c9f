import type { Offload } from '../../lib/offload/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { patchText, patchTextInput, patchTextResult, patchTextTaskName, type TextPatch } from './patch-text.js';

/** Patches a text for a namespace: namespaces take turns. Rejects when it cannot be read or patched, or takes too much. */
export type PatchText = (patch: TextPatch, namespace: string) => Promise<string> | string;

/** Characters that are gone through on the event loop: each operation may go through all of the text. */
const maxOnLoop = 8 * 1024;

/** Milliseconds of real time for one text. */
const limit = 5_000;

/** Small texts are patched at once, larger ones in another thread. */
export const textPatcher =
  (offload: Offload): PatchText =>
  (patch, namespace) => {
    const { text, ops } = patch;
    const isSmall = text.length * (1 + ops.length) <= maxOnLoop && jsonText(ops).length <= maxOnLoop;
    if (isSmall) return patchText(patch);
    return offload.run(patchTextTaskName, patchTextInput(patch), { key: namespace, limit }).then(patchTextResult);
  };
