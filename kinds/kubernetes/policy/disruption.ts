/** Applies PodDisruptionBudgets to evictions. as pkg/registry/core/pod/storage/eviction.go */
import { cloneJson } from '../../../lib/json/clone.js';
import { type Selector, selectorOf } from '../../../apimachinery/selectors/label-selectors.js';
import { forbidden, isConflict, timeout, tooManyRequests } from '../../../apimachinery/errors/status.js';
import { formatTime } from '../../../lib/go/time.js';
import type { ActionCall } from '../../../registry/interface.js';
import type { PodDisruptionBudget } from '../../../api/kubernetes/policy.js';
import { podDisruptionBudgets } from '../../../api/kubernetes/resources.js';

type Status = NonNullable<PodDisruptionBudget['status']>;

const refused = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The maximum number of evictions that are not yet confirmed. */
const maxDisrupted = 2000;
const attempts = 20;

/** An invalid selector selects nothing. */
function selects(selector: object | undefined, labels: Readonly<Record<string, string>>): boolean {
  let compiled: Selector;
  try {
    compiled = selectorOf(selector);
  } catch {
    return false;
  }
  return compiled.matches(labels);
}

/** Returns the budgets that apply to a pod with the labels. */
export async function budgetsOf(
  call: ActionCall,
  labels: Readonly<Record<string, string>>,
): Promise<PodDisruptionBudget[]> {
  const { items } = await call.client.list(podDisruptionBudgets, { namespace: call.namespace });
  return (items as PodDisruptionBudget[]).filter(({ spec }) => selects(spec?.selector, labels));
}

const violation = (retryAfterSeconds: number, message: string): Error =>
  tooManyRequests(refused, retryAfterSeconds, [{ reason: 'DisruptionBudget', message }]);

/** Returns 429, to try again in 10 seconds, for a budget whose state is not certain yet. */
export function stillProcessed(name: string): Error {
  return violation(10, `The disruption budget ${name} is still being processed by the server.`);
}

/** Returns why the budget allows no eviction. */
function reasonOf(name: string, { conditions, currentHealthy = 0, desiredHealthy = 0 }: Status): string {
  const allowed = conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const { message = '', reason = '' } = allowed?.status === 'False' ? allowed : {};
  const nothing = `The disruption budget ${name} does not allow evicting pods currently`;
  if (message !== '' && reason === 'SyncFailed') return `${nothing} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return message === '' ? nothing : `${nothing} (${reason}): ${message}`;
}

function check({ metadata, status = {} }: PodDisruptionBudget): void {
  const { generation = 0, name = '' } = metadata;
  const { disruptedPods, disruptionsAllowed = 0, observedGeneration = 0 } = status;
  const forbid = (text: string): Error => forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, text);
  if (observedGeneration < generation) throw stillProcessed(name);
  if (disruptionsAllowed < 0) throw forbid('pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods ?? {}).length > maxDisrupted)
    throw forbid('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (disruptionsAllowed === 0) throw violation(0, reasonOf(name, status));
}

/** as component-helpers/apps/poddisruptionbudget UpdateDisruptionAllowedCondition */
function exhausted({ conditions = [], observedGeneration }: Status, now: Date): NonNullable<Status['conditions']> {
  const type = 'DisruptionAllowed';
  const old = conditions.find(condition => condition.type === type);
  const since = old && old.status === 'False' ? old.lastTransitionTime : undefined;
  const updated = {
    ...{ type, status: 'False', reason: 'InsufficientPods', message: '', lastTransitionTime: since ?? formatTime(now) },
    ...(observedGeneration && { observedGeneration }),
  };
  return old ? conditions.map(condition => (condition === old ? updated : condition)) : [...conditions, updated];
}

/** Returns the budget with one disruption used by the pod. */
function withDisruption(budget: PodDisruptionBudget, pod: string): PodDisruptionBudget {
  const draft = cloneJson(budget);
  const status: Status = draft.status ?? {};
  const now = new Date();
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  if (status.disruptionsAllowed === 0) status.conditions = exhausted(status, now);
  status.disruptedPods = { ...status.disruptedPods, [pod]: formatTime(now) };
  return { ...draft, status };
}

/** Takes a disruption from the budget, or refuses with 429. */
export async function takeDisruption(call: ActionCall, first: PodDisruptionBudget, pod: string): Promise<void> {
  const name = first.metadata.name ?? '';
  let budget = first;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    check(budget);
    if (call.dryRun) return;
    try {
      await call.client.update(podDisruptionBudgets, withDisruption(budget, pod), { subresource: 'status' });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    budget = await call.client.get(podDisruptionBudgets, { namespace: call.namespace, name });
  }
  throw timeout(`couldn't update PodDisruptionBudget "${name}" due to conflicts`, 10);
}
