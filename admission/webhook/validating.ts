import { StatusError, internal, timeout } from '../../apimachinery/errors/status.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type Views, viewsOf } from '../matching/views.js';
import { type CallDeps, CallFailure, callHook } from './call.js';
import type { MatchingHook } from './hooks.js';
import { type HookContext, type SelectDeps, shouldCall } from './should-call.js';

type Deps = CallDeps & SelectDeps;

/** Calls all matching webhooks in parallel. Throws the refusal that arrives first. */
// as apiserver/pkg/admission/plugin/webhook/validating dispatcher.go
export async function dispatchValidating(
  matching: readonly MatchingHook[],
  request: AdmissionRequest,
  deps: Deps,
): Promise<void> {
  const views = viewsOf(request);
  const context: HookContext = { request, views, deps, mutating: false };
  const selected: MatchingHook[] = [];
  for (const each of matching) if (await shouldCall(each, request.object, context)) selected.push(each);
  if (selected.length === 0) return;
  if (request.signal?.aborted) throw timeout('request did not complete within requested timeout');
  const refusals: unknown[] = [];
  const callAndCollect = async (each: MatchingHook, index: number): Promise<void> => {
    try {
      await callOne(each, index, request, views, deps);
    } catch (error) {
      refusals.push(error);
    }
  };
  const calls: Promise<void>[] = [];
  for (const [index, each] of selected.entries()) {
    calls.push(callAndCollect(each, index));
    // Each large review is encoded in its own turn of the event loop.
    const pause = request.pause?.();
    if (pause) await pause;
  }
  await Promise.all(calls);
  if (refusals.length > 0) throw refusals[0];
}

async function callOne(
  each: MatchingHook,
  index: number,
  request: AdmissionRequest,
  views: Views,
  deps: Deps,
): Promise<void> {
  try {
    await callHook(each, request, views, deps);
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof CallFailure)) throw error;
    if (!each.hook.failsOpen) throw internal(error.message);
    if (error.canceled) return;
    request.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, each.hook.name);
  }
}
