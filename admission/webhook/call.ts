/** Calls one webhook for one request. */
// as apiserver/pkg/admission/plugin/webhook/validating callHook, mutating callAttrMutatingHook
import { errorText } from '../../apimachinery/errors/error-text.js';
import { goQuote } from '../../lib/go/go-text.js';
import { eachInTurns, type InSteps, inTimeSlices, TimeSlice } from '../../lib/time-slice.js';
import { StatusError, badRequest } from '../../apimachinery/errors/status.js';
import type { CallFault, WebhookCaller } from '../../registry/webhook-caller.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import type { Views } from '../matching/views.js';
import { webhookRefusal } from '../webhook-refusal.js';
import type { MatchingHook, AdmissionHook } from './hooks.js';
import type { CallEnd, ObserveCall } from './observe.js';
import { ReviewFault, type AdmissionResponse, readReview, reviewOf, reviewVersionOf } from './review.js';

/** Code in the metrics of a call that failed without an HTTP response. */
const unavailable = 503;

/** The webhook could not be reached, or its response is invalid. Its failure policy decides whether that refuses the request. */
export class CallFailure extends Error {
  /** HTTP status code in the metrics. */
  readonly code: number;
  /** The client has cancelled the request, so this is not a failure of the webhook. */
  readonly canceled: boolean;
  constructor({ name }: AdmissionHook, reason: string, { code = unavailable, canceled = false }: CallFault = {}) {
    super(`failed calling webhook ${goQuote(name)}: ${reason}`);
    this.code = code;
    this.canceled = canceled;
  }
}

export interface CallDeps {
  readonly call: WebhookCaller;
  readonly uuid: () => string;
  readonly observe?: ObserveCall | undefined;
}

/**
 * Calls a webhook, and records the call in the metrics. `apply` is given for a mutating webhook, and is called with a response that allows
 * the request. Throws CallFailure, or the refusal of the webhook.
 */
export async function callHook(
  match: MatchingHook,
  request: AdmissionRequest,
  views: Views,
  deps: CallDeps,
  apply?: (response: AdmissionResponse) => Promise<void>,
): Promise<void> {
  const { hook } = match;
  const type = apply ? 'admit' : 'validating';
  const end = deps.observe?.({ name: hook.name, type, operation: request.operation });
  try {
    const response = await sendReview(match, request, views, deps, apply !== undefined);
    await apply?.(response);
    end?.({ code: 200, rejected: false, error: 'no_error', failedOpen: false, canceled: false });
  } catch (error) {
    end?.(endOf(hook, error));
    throw error;
  }
}

/** The refusals of webhooks, as opposed to errors of this server. */
const webhookRefusals = new WeakSet<StatusError>();

function refusalOf(name: string, { status = {} }: AdmissionResponse): StatusError {
  const refusal = webhookRefusal(name, status);
  webhookRefusals.add(refusal);
  return refusal;
}

function endOf({ failsOpen }: AdmissionHook, error: unknown): CallEnd {
  if (error instanceof CallFailure) {
    const { code, canceled } = error;
    return { code, rejected: !failsOpen, error: 'calling_webhook_error', failedOpen: failsOpen, canceled };
  }
  const code = error instanceof StatusError ? error.code : 0;
  if (code > 0 && webhookRefusals.has(error as StatusError))
    return { code, rejected: true, error: 'no_error', failedOpen: false, canceled: false };
  return { code: 0, rejected: true, error: 'apiserver_internal_error', failedOpen: false, canceled: false };
}

const sideEffectFree: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

async function sendReview(
  { hook, target }: MatchingHook,
  request: AdmissionRequest,
  views: Views,
  { call, uuid }: CallDeps,
  mutating: boolean,
): Promise<AdmissionResponse> {
  const { name, spec, callTarget, timeoutMs, fault } = hook;
  if (request.dryRun && !sideEffectFree.has(spec.sideEffects ?? ''))
    throw badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
  const version = reviewVersionOf(spec.admissionReviewVersions);
  if (!version) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new CallFailure(hook, `could not create admission objects: ${why}`, { code: 400 });
  }
  if (fault !== undefined) throw new CallFailure(hook, `could not get REST client: ${fault}`, { code: 500 });
  const uid = uuid();
  const [object, old] = [await views.object(target), await views.old(target)];
  await request.pause?.();
  const review = reviewOf({ uid, version, request, target, object, old });
  const signal = request.signal && { signal: request.signal };
  let answer: unknown;
  try {
    answer = await call({ target: callTarget, review, timeoutMs, sendTimeout: true, ...signal });
  } catch (error) {
    throw new CallFailure(hook, `failed to call webhook: ${errorText(error)}`, error as CallFault);
  }
  const response = await validResponse(hook, readReview(answer, uid, version, mutating));
  const { keys, values } = response.annotations;
  if (keys.length > 0)
    await eachInTurns(keys, key => request.annotate(`${name}/${key}`, values[key] ?? ''), new TimeSlice());
  for (const text of response.warnings) request.warn(text);
  if (!response.allowed) throw refusalOf(name, response);
  return response;
}

async function validResponse(hook: AdmissionHook, read: InSteps<AdmissionResponse>): Promise<AdmissionResponse> {
  try {
    return await inTimeSlices(read);
  } catch (error) {
    if (error instanceof ReviewFault)
      throw new CallFailure(hook, `received invalid webhook response: ${error.message}`);
    throw error;
  }
}
