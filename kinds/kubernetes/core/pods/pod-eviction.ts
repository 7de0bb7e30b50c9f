/** pods/eviction: a deletion that checks the disruption budget first. as pkg/registry/core/pod/storage EvictionREST */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { invalidValue } from '../../../../apimachinery/errors/faults.js';
import { badRequest, conflict, deleteUidText, invalid, isConflict } from '../../../../apimachinery/errors/status.js';
import type { DeleteOptions } from '../../../../client/interface.js';
import type { ActionCall, Subresource } from '../../../../registry/interface.js';
import { keepAllButStatus } from '../../../../registry/strategy/parts.js';
import { budgetsOf, stillProcessed, takeDisruption } from '../../policy/disruption.js';
import { actionDone, actionFailed } from './action.js';
import type { Pod } from '../../../../api/kubernetes/core.js';
import type { Eviction, PodDisruptionBudget } from '../../../../api/kubernetes/policy.js';
import { pods } from '../../../../api/kubernetes/resources.js';
import { changePod } from './pod-change.js';
import { podCondition, setPodCondition } from './pod-conditions.js';

const attempts = 20;

const manyBudgets = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** Returns the options with which the eviction deletes the pod. */
function optionsOf(body: Eviction, dryRun: boolean): DeleteOptions {
  const { dryRun: own, gracePeriodSeconds, preconditions, propagationPolicy } = body.deleteOptions ?? {};
  return {
    dryRun: dryRun || (own?.length ?? 0) > 0,
    ...(gracePeriodSeconds != null && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
    ...(propagationPolicy && { propagationPolicy: propagationPolicy as DeleteOptions['propagationPolicy'] }),
  } as DeleteOptions;
}

const hasEnded = ({ metadata, status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed' || metadata.deletionTimestamp !== undefined;

const at = (options: DeleteOptions, resourceVersion: string | undefined): DeleteOptions =>
  resourceVersion === undefined
    ? options
    : { ...options, preconditions: { ...options.preconditions, resourceVersion } };

/** One eviction in progress. */
interface Run {
  readonly call: ActionCall;
  readonly name: string;
  readonly options: DeleteOptions;
}

const podOf = async ({ call, name }: Run): Promise<Pod> =>
  await call.client.get(pods, { namespace: call.namespace, name });

function checkPreconditions({ metadata }: Pod, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const refuse = (text: string): never => {
    throw conflict({ group: '', resource: 'Pod' }, metadata.name ?? '', text);
  };
  if (uid && uid !== metadata.uid) refuse(deleteUidText(uid, metadata.uid ?? ''));
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    const text = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    refuse(text);
  }
}

/** Records the reason in the pod's status before deletion. */
async function removeWithReason({ call, name }: Run, options: DeleteOptions): Promise<void> {
  let last = options;
  if (!options.dryRun) {
    const marked = await changePod(call, name, 'eviction', pod => {
      checkPreconditions(pod, options);
      const text = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
      setPodCondition(pod, { type: 'DisruptionTarget', status: 'True', ...text }, new Date());
    });
    if (options.preconditions?.resourceVersion !== undefined) last = at(options, marked.metadata.resourceVersion);
  }
  await call.client.delete(pods, { namespace: call.namespace, name }, last);
}

/** Deletes pods that are pending or ended without checking a budget; otherwise returns the pod. */
async function removeIdle(run: Run): Promise<Pod | undefined> {
  const { options } = run;
  const pinned = options.preconditions?.resourceVersion !== undefined;
  for (let attempt = 1; ; attempt++) {
    const pod = await podOf(run);
    const ended = hasEnded(pod);
    if (!ended && pod.status?.phase !== 'Pending') return pod;
    try {
      // A pending pod may become ready in the meantime.
      await removeWithReason(run, ended || pinned ? options : at(options, pod.metadata.resourceVersion));
      return undefined;
    } catch (error) {
      if (pinned || !isConflict(error) || attempt === attempts) throw error;
    }
  }
}

/** Reports whether a pod may be evicted without using the budget: one that is not ready does not count. */
function isUncounted(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (podCondition(pod, 'Ready')?.status === 'True') return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

async function removeUncounted(run: Run, pod: Pod, budget: string): Promise<void> {
  try {
    await removeWithReason(run, at(run.options, pod.metadata.resourceVersion));
  } catch (error) {
    // The pod changed: it may be ready now.
    if (isConflict(error) && run.options.preconditions?.resourceVersion === undefined) throw stillProcessed(budget);
    throw error;
  }
}

/** An object that cannot be read has no budget to check. */
function checkOptions({ deleteOptions }: Eviction, name: string): void {
  if (!deleteOptions?.ignoreStoreReadErrorWithClusterBreakingPotential) return;
  const path = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential';
  const fault = invalidValue(path, true, 'can not be set for pod eviction, try after removing the option');
  throw invalid({ group: 'policy', kind: 'Eviction' }, name, [fault]);
}

async function evict(call: ActionCall, name: string, body: KubeObject): Promise<KubeObject> {
  if (body.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  checkOptions(body, name);
  const options = optionsOf(body, call.dryRun);
  const run: Run = { call: { ...call, dryRun: options.dryRun ?? false }, name, options };
  const pod = await removeIdle(run);
  if (!pod) return actionDone();
  const [budget, ...more] = await budgetsOf(call, pod.metadata.labels ?? {});
  if (more.length > 0) return actionFailed(manyBudgets, 500);
  if (budget && isUncounted(pod, budget)) {
    await removeUncounted(run, pod, budget.metadata.name ?? '');
    return actionDone();
  }
  if (budget) await takeDisruption(run.call, budget, name);
  await removeWithReason(run, options);
  return actionDone();
}

export const podEviction: Subresource = {
  type: 'action',
  verbs: ['create'],
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  act: evict,
  rules: { prepareUpdate: [keepAllButStatus], validateUpdate: [], resetFields: [] },
};
