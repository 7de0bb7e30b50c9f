import { jsonText } from '../../lib/json/json.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { OffloadError } from '../../lib/offload/error.js';
import type { Offload } from '../../lib/offload/interface.js';
import { patchText, patchTextInput, patchTextResult, patchTextTaskName, type TextPatch } from './patch-text.js';

/** Patches a text for a namespace: namespaces take turns. Rejects with ExpectedError when it cannot be read or patched, or takes too much. */
export type PatchText = (patch: TextPatch, namespace: string) => Promise<string> | string;

/** Characters that are gone through on the event loop: each operation may go through all of the text. */
const maxOnLoop = 8 * 1024;

/** Milliseconds of real time for one text. */
const limit = 5_000;

/** Returns what the Event of a binding says about a text that was not patched. A task that failed is a bug, and stays one. */
function explained(error: unknown): unknown {
  if (!(error instanceof OffloadError)) return error;
  const expected = (text: string): Error => new ExpectedError(text, { cause: error });
  switch (error.reason) {
    case 'full':
    case 'closed':
      return expected('too many texts of fields are being patched');
    case 'late':
      return expected(`patching the text of a field takes longer than ${limit} ms`);
    case 'memory':
      return expected('patching the text of a field takes too much memory');
    case 'failed':
      return error;
  }
}

/** Small texts are patched at once, larger ones in another thread. */
export const textPatcher =
  (offload: Offload): PatchText =>
  (patch, namespace) => {
    const { text, ops } = patch;
    const isSmall = text.length * (1 + ops.length) <= maxOnLoop && jsonText(ops).length <= maxOnLoop;
    return isSmall ? patchText(patch) : patchInThread(offload, patch, namespace);
  };

async function patchInThread(offload: Offload, patch: TextPatch, namespace: string): Promise<string> {
  const input = patchTextInput(patch);
  const output = await offload.run(patchTextTaskName, input, { key: namespace, limit }).catch((error: unknown) => {
    throw explained(error);
  });
  return patchTextResult(output);
}
