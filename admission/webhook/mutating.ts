// as apiserver/pkg/admission/plugin/webhook/mutating dispatcher.go
import type { KubeObject } from '../../apimachinery/interface.js';
import { goQuote } from '../../lib/go/go-text.js';
import { jsonText } from '../../lib/json/json.js';
import { atOnce, inTimeSlices } from '../../lib/time-slice.js';
import { StatusError, internal, timeout } from '../../apimachinery/errors/status.js';
import { isObject } from '../../apimachinery/patch/json.js';
import { type JsonPatchOp, applyJsonPatch, decodeJsonPatch } from '../../apimachinery/patch/json-patch.js';
import { patchSteps } from '../../apimachinery/patch/literals.js';
import { managedFieldsFault } from '../../apimachinery/patch/managed-fields.js';
import { withoutManagedFields } from '../../apimachinery/patch/empty-object.js';
import { refuseLargeObject, refuseManyValues } from '../../apimachinery/meta/values.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type RequestDraft, completePatchedSteps, draftOf } from '../matching/views.js';
import { type Rounds, roundsOf } from '../reinvocation.js';
import { isSameObject } from '../same-object.js';
import { type CallDeps, CallFailure, callHook } from './call.js';
import type { MatchingHook, AdmissionHook } from './hooks.js';
import type { AdmissionResponse } from './review.js';
import { type HookContext, type SelectDeps, shouldCall } from './should-call.js';

export const mutatingName = 'MutatingAdmissionWebhook';

type Deps = CallDeps & SelectDeps;

interface Run extends HookContext {
  readonly views: RequestDraft;
  readonly rounds: Rounds;
  readonly deps: Deps;
}

/** Calls the webhooks one after the other; each gets the changes of those before it. Throws the refusal. */
export async function dispatchMutating(
  matching: readonly MatchingHook[],
  request: AdmissionRequest,
  deps: Deps,
): Promise<void> {
  const rounds = roundsOf(request, mutatingName);
  const draft = draftOf(request);
  const run: Run = { request, views: draft, rounds, deps, mutating: true };
  const before = managedFieldsOf(request.object);
  if (rounds.round() > 0) await request.pause?.();
  const beginning = rounds.begin(request.object);
  if (beginning) await beginning;
  await request.pause?.();
  for (const each of matching) await callOne(each, run);
  await request.pause?.();
  await draft.settle();
  await request.pause?.();
  if (request.object) await restoreManagedFields(request, request.object, before);
  await request.pause?.();
  rounds.end(request.object);
}

async function callOne(each: MatchingHook, run: Run): Promise<void> {
  const { hook, index } = each;
  const { request, views: draft, rounds, deps } = run;
  if (!(await shouldCall(each, draft.current(), run)) || !rounds.isDue(hook.id)) return;
  const key = `webhook.admission.k8s.io/round_${rounds.round()}_index_${index}`;
  let changed = false;
  const apply = async (response: AdmissionResponse): Promise<void> => {
    const patch = await patchOf(hook, response, request);
    if (patch.operations.length === 0) return;
    changed = await applyPatch(each, patch, draft, request);
    await request.pause?.();
    request.annotate(`patch.${key}`, annotation(hook, { patch: patch.operations, patchType: 'JSONPatch' }));
  };
  try {
    await callHook(each, request, draft, deps, apply);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (!hook.failsOpen) throw internal(error.message);
    if (!error.canceled) request.annotate(`failed-open.mutation.${key}`, hook.name);
    if (request.signal?.aborted) throw timeout('request did not complete within requested timeout');
  } finally {
    request.annotate(`mutation.${key}`, annotation(hook, { mutated: changed }));
  }
  if (changed) rounds.changed();
  if (hook.spec.reinvocationPolicy === 'IfNeeded') rounds.invoked(hook.id);
}

/** Code in the metrics of an unsupported patch. as apiserver/pkg/admission/plugin/webhook/errors ToStatusErr, for a response without code */
const unsupportedPatchCode = 400;

const annotation = ({ configuration, name }: AdmissionHook, more: object): string =>
  jsonText({ configuration, webhook: name, ...more });

interface ResponsePatch {
  readonly operations: readonly JsonPatchOp[];
  /** Whether the operations may hold Literals. */
  readonly literals: boolean;
}

/** Returns the patch of a response. differs: upstream does not limit the number of its values. */
async function patchOf(
  hook: AdmissionHook,
  { patch, patchType }: AdmissionResponse,
  request: AdmissionRequest,
): Promise<ResponsePatch> {
  if (patch === '') return { operations: [], literals: false };
  let read: ResponsePatch;
  try {
    const text = Buffer.from(patch, 'base64').toString();
    refuseManyValues(text);
    request.grows?.(text.length);
    await request.pause?.();
    const { value, literals } = await inTimeSlices(patchSteps(text, 'text'));
    read = { operations: decodeJsonPatch(value, 'unchecked'), literals };
  } catch (error) {
    if (!(error instanceof DecodeError) && !(error instanceof StatusError)) throw error;
    throw new CallFailure(hook, `received undecodable patch in webhook response: ${error.message}`);
  }
  if (read.operations.length > 0 && patchType !== 'JSONPatch')
    throw new CallFailure(hook, `unsupported patch type ${goQuote(patchType)}`, { code: unsupportedPatchCode });
  return read;
}

/** Applies a patch to the draft. Returns whether the object has changed. */
async function applyPatch(
  { hook, target }: MatchingHook,
  { operations, literals }: ResponsePatch,
  draft: RequestDraft,
  request: AdmissionRequest,
): Promise<boolean> {
  await request.pause?.();
  const object = await draft.object(target);
  if (!object)
    throw internal(
      `admission webhook ${goQuote(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  try {
    await request.pause?.();
    const result = applyJsonPatch(object, operations) as KubeObject;
    await request.pause?.();
    // Copy operations can make a large object from a small patch. A value has at least two bytes of JSON.
    request.grows?.(2 * refuseLargeObject(counted(result)));
    await request.pause?.();
    const steps = completePatchedSteps(target, result, { literals, strict: false });
    const next = request.pause ? await inTimeSlices(steps) : atOnce(steps);
    draft.put(target, next.object, next.floats);
    await request.pause?.();
    return !(await isSameObject(request, object, next.object));
  } catch (error) {
    // The patch of the webhook is invalid, not the request of the client.
    throw error instanceof StatusError || error instanceof DecodeError ? internal(error.message) : error;
  }
}

/** Returns the part of a result whose values are counted. The patch may have removed the metadata. */
const counted = (result: KubeObject): unknown => (isObject(result.metadata) ? withoutManagedFields(result) : result);

const managedFieldsOf = (object: Partial<KubeObject> | undefined): KubeObject['metadata']['managedFields'] =>
  object?.metadata?.managedFields;

/** Restores managedFields that webhooks have made invalid, and warns the client. */
// as apiserver/pkg/endpoints/handlers/fieldmanager NewManagedFieldsValidatingAdmissionController
async function restoreManagedFields(
  request: AdmissionRequest,
  object: KubeObject,
  before: KubeObject['metadata']['managedFields'],
): Promise<void> {
  const fault = await inTimeSlices(managedFieldsFault(managedFieldsOf(object)));
  if (fault === undefined) return;
  if (before) object.metadata.managedFields = before;
  else delete object.metadata.managedFields;
  request.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${fault}`,
  );
}
