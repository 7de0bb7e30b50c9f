import { jsonText } from '../../lib/json/json.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { OffloadError } from '../../lib/offload/error.js';
import type { Offload } from '../../lib/offload/interface.js';
import { patchText, patchTextInput, patchTextResult, patchTextTaskName, type TextPatch } from './patch-text.js';
import type { Maybe } from '../../lib/maybe.js';

/**
 * Patches a text on behalf of a namespace; namespaces take turns. Rejects with ExpectedError if the text cannot be parsed or patched, or needs
 * too much time or memory.
 */
export type PatchText = (patch: TextPatch, namespace: string) => Maybe<string>;

/** Maximum characters that are processed on the event loop. Each operation may read the whole text. */
const maxOnLoop = 8 * 1024;

/** Maximum wall time for one text in milliseconds. */
const limit = 5_000;

/** Returns the error for the Event of a binding whose text was not patched. The error of a failed task, which is a bug, is unchanged. */
function expectedError(error: unknown): unknown {
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

/** Returns a `PatchText`, which patches small texts synchronously, and larger ones in another thread. */
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
    throw expectedError(error);
  });
  return patchTextResult(output);
}
