import { withCondition, timestamp } from '../../controllers/runtime/conditions.js';
import { isLostRace } from '../../controllers/runtime/lost-race.js';
import { breathe } from '../../registry/client/breathe.js';
import { updateObject } from '../../controllers/runtime/update.js';
import { keyOf, splitKey } from '../../controllers/runtime/informer.js';
import type { ControllerContext, EventRecorder, Informer, Key } from '../../controllers/runtime/interface.js';
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { cloneJson } from '../../openapi/meta/clone.js';
import { deepEqual } from '../../openapi/meta/equality.js';
import { jsonText } from '../../openapi/meta/json.js';
import { StatusError } from '../../openapi/meta/status.js';
import { clusterMatches } from '../../registry/kinds/karmada/cluster-affinity.js';
import { annotations, labels, resources } from '../../registry/kinds/karmada/well-known.js';
import type { Binding, BindingStatus, Cluster, Condition, TargetCluster } from '../../registry/kinds/karmada/types.js';
import type { Estimator, ScheduleOptions } from '../interface.js';
import { isFresh } from '../place/assign.js';
import { attempt, type Attempt } from './attempt.js';
import { createSchedulingQueue, type SchedulingQueue } from './queue.js';
import { trigger } from './trigger.js';

export interface SchedulerOptions {
  /** Bindings that name another scheduler are left to it. */
  readonly schedulerName: string;
  readonly enableEmptyWorkloadPropagation: boolean;
  readonly estimators: readonly Estimator[];
  readonly disabledPlugins?: ReadonlySet<string>;
  readonly workers?: number;
}

const successMessage = 'Binding has been scheduled successfully.';

/** Is this binding ours to schedule? It belongs to a policy (or to whoever manages it), names us, and is not held back. */
function accepts(binding: Binding, schedulerName: string): boolean {
  const { metadata, spec } = binding;
  if ((spec.schedulerName || 'default-scheduler') !== schedulerName || spec.suspension?.scheduling) return false;
  const marks = [labels.propagationPolicyId, labels.clusterPropagationPolicyId, labels.bindingManagedBy];
  return marks.some(mark => metadata.labels?.[mark]);
}

/** Runs the scheduler until the context's signal aborts: ResourceBindings and ClusterResourceBindings in one queue. */
export async function runScheduler(context: ControllerContext, options: SchedulerOptions): Promise<void> {
  const { informers, signal, log, clock } = context;
  const groups = {
    affinityGroup: (b: Binding) => group(b, b.spec.workloadAffinityGroups?.affinityGroup),
    antiAffinityGroup: (b: Binding) => group(b, b.spec.workloadAffinityGroups?.antiAffinityGroup),
  };
  const namespaced = informers.informer<Binding>(resources.resourceBindings, { indexers: groups });
  const clusterWide = informers.informer<Binding>(resources.clusterResourceBindings);
  const clusters = informers.informer<Cluster>(resources.clusters);
  const recorder = context.recorder(options.schedulerName);
  const queue = createSchedulingQueue(() => clock.now());
  signal.addEventListener('abort', () => queue.close(), { once: true });
  await Promise.all([namespaced.synced, clusterWide.synced, clusters.synced]);
  if (signal.aborted) return;

  for (const bindings of [namespaced, clusterWide]) wireBindings(bindings, queue, options.schedulerName);
  wireClusters(clusters, [namespaced, clusterWide], queue, options.schedulerName);

  const deps: AttemptDeps = { context, recorder, namespaced, clusterWide, clusters, options };
  const work = async (): Promise<void> => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      let outcome: 'no' | 'backoff' | 'unschedulable' = 'backoff';
      try {
        outcome = await scheduleOne(key, deps);
      } catch (error) {
        if (!signal.aborted)
          log[isLostRace(error) ? 'debug' : 'warn']({ binding: key, err: error }, 'scheduling failed');
      }
      queue.done(key, outcome);
      await breathe();
    }
  };
  await Promise.all(Array.from({ length: options.workers ?? 8 }, work));
}

const group = (binding: Binding, value: string | undefined): string[] =>
  value ? [`${binding.metadata.namespace}/${value}`] : [];

const priorityOf = (binding: Binding): number => binding.spec.schedulePriority?.priority ?? 0;

function wireBindings(bindings: Informer<Binding>, queue: SchedulingQueue, schedulerName: string): void {
  bindings.onChange(({ old, new: binding }) => {
    if (!binding || !accepts(binding, schedulerName)) return;
    const known = old && accepts(old, schedulerName);
    if (known && old.metadata.generation === binding.metadata.generation) return;
    queue.push(keyOf(binding), priorityOf(binding));
  });
}

/** A change of a cluster wakes the bindings whose affinity selects it as it was or as it is (SCH-01); of its status only what it serves does. */
function wireClusters(
  clusters: Informer<Cluster>,
  bindings: readonly Informer<Binding>[],
  queue: SchedulingQueue,
  schedulerName: string,
): void {
  const wake = (cluster: Cluster): void => {
    for (const binding of bindings.flatMap(informer => informer.list())) {
      if (!accepts(binding, schedulerName)) continue;
      const { placement } = binding.spec;
      const terms = placement?.clusterAffinities;
      const unobserved = terms && binding.status?.schedulerObservedGeneration !== binding.metadata.generation;
      const observed = binding.status?.schedulerObservingAffinityName;
      const affinity = terms ? (terms.find(t => t.affinityName === observed) ?? terms[0]) : placement?.clusterAffinity;
      if (unobserved || !affinity || clusterMatches(cluster, affinity)) queue.push(keyOf(binding), priorityOf(binding));
    }
  };
  clusters.onChange(({ old, new: cluster }) => {
    if (!old || !cluster) return;
    if (!old.metadata.deletionTimestamp && cluster.metadata.deletionTimestamp) return wake(cluster);
    const sameLabels = deepEqual(old.metadata.labels, cluster.metadata.labels);
    // differs: Karmada leaves what waits for a kind to its unschedulable queue, for minutes.
    if (!deepEqual(old.status?.apiEnablements, cluster.status?.apiEnablements)) return wake(cluster);
    if (sameLabels && old.metadata.generation === cluster.metadata.generation) return;
    wake(old);
    wake(cluster);
  });
}

interface AttemptDeps {
  readonly context: ControllerContext;
  readonly recorder: EventRecorder;
  readonly namespaced: Informer<Binding>;
  readonly clusterWide: Informer<Binding>;
  readonly clusters: Informer<Cluster>;
  readonly options: SchedulerOptions & ScheduleOptions;
}

async function scheduleOne(key: Key, deps: AttemptDeps): Promise<'no' | 'backoff' | 'unschedulable'> {
  const isNamespaced = splitKey(key).namespace !== '';
  const binding = (isNamespaced ? deps.namespaced : deps.clusterWide).get(key);
  if (!binding || binding.metadata.deletionTimestamp || !binding.spec.placement) return 'no';
  const resource = isNamespaced ? resources.resourceBindings : resources.clusterResourceBindings;
  const why = trigger(binding, name => deps.clusters.get(name)?.metadata.deletionTimestamp !== undefined);
  if (!why) {
    await observe(binding, resource, deps);
    return 'no';
  }
  const { namespace } = binding.metadata;
  const peers = (group: 'affinityGroup' | 'antiAffinityGroup', value: string): readonly Binding[] =>
    deps.namespaced.byIndex(group, `${namespace}/${value}`).filter(peer => peer.metadata.uid !== binding.metadata.uid);
  const result = attempt(binding, deps.clusters.list(), isNamespaced ? peers : undefined, deps.options);
  return commit(binding, resource, result, deps);
}

/** Nothing to decide: tell whoever waits for it that this generation has been looked at. */
async function observe(binding: Binding, resource: GroupVersionResource, { context }: AttemptDeps): Promise<void> {
  const { generation, name = '', namespace = '' } = binding.metadata;
  if (binding.status?.schedulerObservedGeneration === generation) return;
  const patch = { status: { schedulerObservedGeneration: generation } };
  await context.client.patch(resource, { namespace, name }, { type: 'merge', patch }, { subresource: 'status' });
}

/**
 * Writes targets with the placement they were made from, then the status. A result that changes nothing is not written again, so that
 * an attempt does not wake itself.
 */
async function commit(
  binding: Binding,
  resource: GroupVersionResource,
  result: Attempt,
  deps: AttemptDeps,
): Promise<'no' | 'backoff' | 'unschedulable'> {
  const { client } = deps.context;
  const { name = '', namespace = '', generation } = binding.metadata;
  const key = { namespace, name };
  const { decision } = result;
  for (const failure of result.failures) record(binding, deps.recorder, 'Warning', failure);
  let current = binding;
  let observed = generation;
  const placement = jsonText(binding.spec.placement);
  const applied = binding.metadata.annotations?.[annotations.appliedPlacement];
  if (result.clusters && !(applied === placement && sameTargets(binding.spec.clusters ?? [], result.clusters))) {
    const clusters = result.clusters.length > 0 ? result.clusters : null;
    const patch = { metadata: { annotations: { [annotations.appliedPlacement]: placement } }, spec: { clusters } };
    try {
      current = (await client.patch(resource, key, { type: 'merge', patch })) as Binding;
      // Where our own write is the only one since, its generation is what we have seen.
      const next = current.metadata.generation ?? 0;
      if (next <= (generation ?? 0) + 1) observed = next;
    } catch (error) {
      if (!(error instanceof StatusError) || isLostRace(error)) throw error;
      const quota = error.code === 403 && (error.status.reason as string) === 'QuotaExceeded';
      await writeStatus(failed(quota ? 'QuotaExceeded' : 'SchedulerError', error.message));
      record(binding, deps.recorder, 'Warning', error.message);
      return error.status.details?.causes?.some(cause => cause.reason === 'NamespaceTerminating') ? 'no' : 'backoff';
    }
  }
  if (decision.type === 'placed') {
    await writeStatus({ type: 'Scheduled', status: 'True', reason: 'Success', message: successMessage });
    if (current !== binding || binding.status?.schedulerObservedGeneration === undefined)
      record(binding, deps.recorder, 'Normal', `${successMessage} Result: {${targetsText(decision.clusters)}}`);
    return 'no';
  }
  const reason = { FitError: 'NoClusterFit', UnschedulableError: 'Unschedulable', Error: 'SchedulerError' }[
    decision.type
  ];
  await writeStatus(failed(reason, decision.message));
  if (result.failures.length === 0 || decision.type === 'FitError')
    record(binding, deps.recorder, 'Warning', decision.message);
  return decision.type === 'FitError' ? 'no' : decision.type === 'UnschedulableError' ? 'unschedulable' : 'backoff';

  function failed(reason: string, message: string): Omit<Condition, 'lastTransitionTime'> {
    return { type: 'Scheduled', status: 'False', reason, message };
  }

  async function writeStatus(condition: Omit<Condition, 'lastTransitionTime'>): Promise<void> {
    const now = deps.context.clock.now();
    const placed = condition.status === 'True';
    const requested = placed && isFresh(binding.spec, binding.status ?? {});
    await updateObject(
      client,
      resource,
      current,
      draft => {
        const status: BindingStatus = (draft.status ??= {});
        const before = cloneJson(status);
        status.conditions = withCondition(status.conditions ?? [], condition, now);
        if (!placed) return;
        status.schedulerObservedGeneration = observed ?? 0;
        if (result.affinityName !== undefined) status.schedulerObservingAffinityName = result.affinityName;
        // An attempt that changed nothing leaves no trace, or its own write would wake others for nothing.
        if (current !== binding || requested || !deepEqual(before, status)) status.lastScheduledTime = timestamp(now);
      },
      { subresource: 'status' },
    );
  }
}

function sameTargets(a: readonly TargetCluster[], b: readonly TargetCluster[]): boolean {
  const plain = (list: readonly TargetCluster[]): unknown =>
    list.map(({ replicas = 0, ...rest }) => ({ ...rest, replicas }));
  return deepEqual(plain(a), plain(b));
}

const targetsText = (targets: readonly TargetCluster[]): string =>
  targets.map(({ name, replicas = 0 }) => `${name}:${replicas}`).join(', ');

/** On the binding and on its template, as users look at the one or the other. */
function record(binding: Binding, recorder: EventRecorder, type: 'Normal' | 'Warning', message: string): void {
  const reason = type === 'Normal' ? 'ScheduleBindingSucceed' : 'ScheduleBindingFailed';
  const { apiVersion, kind, namespace, name, uid } = binding.spec.resource;
  const metadata = { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) };
  const template: KubeObject = { apiVersion, kind, metadata };
  for (const about of [binding, template]) recorder.event(about, type, reason, message);
}
