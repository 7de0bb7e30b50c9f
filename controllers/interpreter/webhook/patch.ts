import { base64Error } from '../../../apimachinery/codec/base64.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { refuseLargeObject, refuseManyValues } from '../../../apimachinery/meta/values.js';
import { applyJsonPatch, decodeJsonPatch } from '../../../apimachinery/patch/json-patch.js';
import { readPatch, readUntyped } from '../../../apimachinery/patch/literals.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { isMap } from '../../../lib/json/is-map.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';
import { objectOfAnswer } from '../answers/decode.js';
import { interpreterError, goTypeName, typeFault } from '../answers/fields.js';
import type { ResponsePatch } from './context.js';

const jsonPatch = 'JSONPatch';

/** Throws for a patch without its type, and the other way round. as verifyResourceInterpreterContextWithPatch */
function verify({ patch, patchType }: ResponsePatch): void {
  if (patchType === undefined) throw interpreterError('webhook returned nil response.patchType');
  if (patch === '') throw interpreterError('webhook returned empty response.patch');
  if (patchType !== jsonPatch)
    throw interpreterError(`webhook returned invalid response.patchType of ${goQuote(patchType)}`);
  const fault = base64Error(patch);
  if (fault !== undefined) throw interpreterError(fault);
}

async function apply(object: KubeObject, patch: string): Promise<unknown> {
  const text = Buffer.from(patch, 'base64').toString();
  refuseManyValues(text);
  await yieldToEventLoop();
  const { value, literals } = readPatch(text, 'text');
  const operations = decodeJsonPatch(value, 'unchecked');
  if (operations.length === 0) return object;
  await yieldToEventLoop();
  const result = applyJsonPatch(object, operations) as KubeObject;
  await yieldToEventLoop();
  // Copy operations can make a large object from a small patch.
  refuseLargeObject(result);
  return literals ? readUntyped(result).object : result;
}

/**
 * Returns the object after the patch of a response. The object is not changed; unchanged parts are shared with it. Rejects with an ExpectedError.
 * as pkg/resourceinterpreter/customized/webhook applyPatch. differs: upstream does not limit the patch and its result.
 */
export async function patched(object: KubeObject, response: ResponsePatch): Promise<KubeObject> {
  if (response.patch === '' && response.patchType === undefined) return object;
  verify(response);
  try {
    const result = await apply(object, response.patch);
    if (!isMap(result)) throw typeFault(goTypeName(result), 'Unstructured');
    return objectOfAnswer(result, object);
  } catch (error) {
    if (!(error instanceof StatusError || error instanceof DecodeError)) throw error;
    throw interpreterError(`response.patch cannot be applied: ${error.message}`);
  }
}
