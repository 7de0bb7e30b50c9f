/** One webhook, asked about one request. */
// as apiserver/pkg/admission/plugin/webhook/validating callHook, mutating callAttrMutatingHook
import { errorText } from '../../apimachinery/errors/error-text.js';
import { goQuote } from '../../lib/go/go-text.js';
import { StatusError, badRequest } from '../../apimachinery/errors/status.js';
import type { CallFault, WebhookCaller } from '../../registry/webhook-caller.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import type { Views } from '../matching/views.js';
import { webhookRefusal } from '../webhook-refusal.js';
import type { Called, Hook } from './hooks.js';
import type { CallEnd, ObserveCall } from './observe.js';
import { ReviewFault, type Verdict, readReview, reviewOf, reviewVersionOf } from './review.js';

/** What a failure to call is counted as, when no answer says otherwise. */
const unavailable = 503;

/** The webhook could not be asked, or its answer is none: whether that matters, its failure policy says. */
export class CallFailure extends Error {
  /** What it is counted as. */
  readonly code: number;
  /** Nobody waits for the request any more: the webhook is not to blame. */
  readonly canceled: boolean;
  constructor({ name }: Hook, reason: string, { code = unavailable, canceled = false }: CallFault = {}) {
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

/** `take`: of a mutating webhook, what becomes of what it answers when it does not refuse. Throws CallFailure, and the refusal. Counted. */
export async function callHook(
  called: Called,
  request: AdmissionRequest,
  views: Views,
  deps: CallDeps,
  take?: (verdict: Verdict) => Promise<void>,
): Promise<void> {
  const { hook } = called;
  const type = take ? 'admit' : 'validating';
  const end = deps.observe?.({ name: hook.name, type, operation: request.operation });
  try {
    const verdict = await ask(called, request, views, deps, take !== undefined);
    await take?.(verdict);
    end?.({ code: 200, rejected: false, error: 'no_error', failedOpen: false, canceled: false });
  } catch (error) {
    end?.(endOf(hook, error));
    throw error;
  }
}

/** Refusals of webhooks, to be told from our own. */
const saidNo = new WeakSet<StatusError>();

function refusalOf(name: string, { status = {} }: Verdict): StatusError {
  const refusal = webhookRefusal(name, status);
  saidNo.add(refusal);
  return refusal;
}

function endOf({ failsOpen }: Hook, error: unknown): CallEnd {
  if (error instanceof CallFailure) {
    const { code, canceled } = error;
    return { code, rejected: !failsOpen, error: 'calling_webhook_error', failedOpen: failsOpen, canceled };
  }
  const code = error instanceof StatusError ? error.code : 0;
  if (code > 0 && saidNo.has(error as StatusError))
    return { code, rejected: true, error: 'no_error', failedOpen: false, canceled: false };
  return { code: 0, rejected: true, error: 'apiserver_internal_error', failedOpen: false, canceled: false };
}

const harmless: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

async function ask(
  { hook, place }: Called,
  request: AdmissionRequest,
  views: Views,
  { call, uuid }: CallDeps,
  mutating: boolean,
): Promise<Verdict> {
  const { name, spec, target, timeoutMs, fault } = hook;
  if (request.dryRun && !harmless.has(spec.sideEffects ?? ''))
    throw badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
  const version = reviewVersionOf(spec.admissionReviewVersions);
  if (!version) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new CallFailure(hook, `could not create admission objects: ${why}`, { code: 400 });
  }
  if (fault !== undefined) throw new CallFailure(hook, `could not get REST client: ${fault}`, { code: 500 });
  const uid = uuid();
  const [object, old] = [await views.object(place), await views.old(place)];
  await request.pause?.();
  const review = reviewOf({ uid, version, request, place, object, old });
  const signal = request.signal && { signal: request.signal };
  let answer: unknown;
  try {
    answer = await call({ target, review, timeoutMs, sendTimeout: true, ...signal });
  } catch (error) {
    throw new CallFailure(hook, `failed to call webhook: ${errorText(error)}`, error as CallFault);
  }
  const verdict = verdictOf(hook, () => readReview(answer, uid, version, mutating));
  for (const [key, value] of Object.entries(verdict.annotations)) request.annotate(`${name}/${key}`, value);
  for (const text of verdict.warnings) request.warn(text);
  if (!verdict.allowed) throw refusalOf(name, verdict);
  return verdict;
}

function verdictOf(hook: Hook, read: () => Verdict): Verdict {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReviewFault)
      throw new CallFailure(hook, `received invalid webhook response: ${error.message}`);
    throw error;
  }
}
