import { StatusError, internal, timeout } from '../../apimachinery/errors/status.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type Views, viewsOf } from '../matching/views.js';
import { type CallDeps, CallFailure, callHook } from './call.js';
import type { Called } from './hooks.js';
import { type SelectDeps, shouldCall } from './should-call.js';

type Deps = CallDeps & SelectDeps;

/** Asks all webhooks that want the request at once; of their refusals the first to come is told. */
// as apiserver/pkg/admission/plugin/webhook/validating dispatcher.go
export async function dispatchValidating(
  called: readonly Called[],
  request: AdmissionRequest,
  deps: Deps,
): Promise<void> {
  const views = viewsOf(request);
  const wanted: Called[] = [];
  for (const each of called) if (await shouldCall(each, request, request.object, views, deps, false)) wanted.push(each);
  if (wanted.length === 0) return;
  if (request.signal?.aborted) throw timeout('request did not complete within requested timeout');
  const refusals: unknown[] = [];
  const ask = async (each: Called, index: number): Promise<void> => {
    try {
      await askOne(each, index, request, views, deps);
    } catch (error) {
      refusals.push(error);
    }
  };
  const asking: Promise<void>[] = [];
  for (const [index, each] of wanted.entries()) {
    asking.push(ask(each, index));
    // A large review is written in a turn of its own.
    const pause = request.pause?.();
    if (pause) await pause;
  }
  await Promise.all(asking);
  if (refusals.length > 0) throw refusals[0];
}

async function askOne(each: Called, index: number, request: AdmissionRequest, views: Views, deps: Deps): Promise<void> {
  try {
    await callHook(each, request, views, deps);
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof CallFailure)) throw error;
    if (!each.hook.failsOpen) throw internal(error.message);
    if (error.canceled) return;
    request.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, each.hook.name);
  }
}
