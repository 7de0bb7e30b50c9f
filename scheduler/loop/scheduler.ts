import { FailureStates } from '../../lib/logging/failure-state.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { keyOf, splitKey } from '../../client/key.js';
import type { ControllerContext, Informer, Key } from '../../client/runtime/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import type { AccurateEstimator, AssumedWorkload, Estimator, ScheduleOptions, SetEstimator } from '../interface.js';
import { pluginsWithout } from '../plugins/plugins.js';
import { attempt } from './attempt.js';
import { ClusterChanges } from './cluster-changes.js';
import { type CommitDeps, commit } from './commit.js';
import { concerns } from './concern.js';
import { decided } from './decided.js';
import { memberEstimates } from './member-estimates.js';
import { type Again, createSchedulingQueue, type SchedulingQueue } from './queue.js';
import { schedulerSeries, type SchedulerSeries } from './series.js';
import { trigger } from './trigger.js';

export interface SchedulerOptions {
  /** Bindings with another scheduler name are ignored. */
  readonly schedulerName: string;
  readonly enableEmptyWorkloadPropagation: boolean;
  readonly estimators: readonly Estimator[];
  /** Absent: components are not placed as a set (gate MultiplePodTemplatesScheduling). */
  readonly setEstimators?: readonly SetEstimator[] | undefined;
  /** Estimators that ask the members about the clusters that have passed the filters. */
  readonly accurateEstimators?: readonly AccurateEstimator[];
  readonly disabledPlugins?: ReadonlySet<string>;
  /** Schedule bindings with a higher priority first (gate PriorityBasedScheduling); true if absent. */
  readonly hasPriorities?: boolean;
  readonly workers?: number;
}

/**
 * Returns whether this scheduler schedules the binding: it belongs to a policy (or another manager), names this scheduler, and is not suspended.
 */
function accepts(binding: Binding, schedulerName: string): boolean {
  const { metadata, spec } = binding;
  if ((spec.schedulerName || 'default-scheduler') !== schedulerName || spec.suspension?.scheduling) return false;
  const marks = [labels.propagationPolicyId, labels.clusterPropagationPolicyId, labels.bindingManagedBy];
  return marks.some(mark => metadata.labels?.[mark]);
}

/** Runs the scheduler until the context's signal aborts, with one queue for ResourceBindings and ClusterResourceBindings. */
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
  const queue = createSchedulingQueue(clock);
  signal.addEventListener('abort', () => queue.close(), { once: true });
  await Promise.all([namespaced.synced, clusterWide.synced, clusters.synced]);
  if (signal.aborted) return;

  const series = schedulerSeries(context.meter);
  const priorityOf = options.hasPriorities === false ? () => 0 : schedulePriority;
  const entry: Entry = { queue, series, schedulerName: options.schedulerName, priorityOf };
  for (const bindings of [namespaced, clusterWide]) wireBindings(bindings, entry);
  const active = pluginsWithout(options.disabledPlugins);
  const changes = new ClusterChanges({
    bindings: [namespaced, clusterWide],
    concerns: (history, binding) => accepts(binding, options.schedulerName) && concerns(history, binding, active),
    found: binding => {
      series.incoming('ClusterChanged');
      queue.push(keyOf(binding), priorityOf(binding));
    },
    signal,
  });
  clusters.onChange(({ old, new: cluster }) => {
    if (old && cluster) changes.changed(old, cluster);
  });

  const asksMembers = Boolean(options.accurateEstimators?.length);
  const timing = { ...options, timed: series.timed, asksMembers };
  const deps: AttemptDeps = { context, recorder, namespaced, clusterWide, clusters, series, options: timing };
  const failureStates = new FailureStates({
    log,
    now: () => clock.now(),
    fails: 'a binding cannot be scheduled; it is tried again',
    works: 'a binding can be scheduled again',
  });
  const work = async (): Promise<void> => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      let outcome: Again = 'backoff';
      try {
        outcome = await scheduleOne(key, deps);
        failureStates.worked(key);
      } catch (error) {
        if (!signal.aborted) {
          log.debug({ binding: key, err: error }, 'a scheduling attempt failed');
          failureStates.failed(key, error, { controller: 'scheduler', object: key });
        }
      }
      if (outcome !== 'no') series.incoming('ScheduleAttemptFailure');
      queue.done(key, outcome);
      await yieldToEventLoop();
    }
  };
  await Promise.all(Array.from({ length: options.workers ?? 8 }, work));
}

const group = (binding: Binding, value: string | undefined): string[] =>
  value ? [`${binding.metadata.namespace}/${value}`] : [];

const schedulePriority = (binding: Binding): number => binding.spec.schedulePriority?.priority ?? 0;

/** What the event handlers need to queue bindings. */
interface Entry {
  readonly queue: SchedulingQueue;
  readonly series: SchedulerSeries;
  readonly schedulerName: string;
  readonly priorityOf: (binding: Binding) => number;
}

function wireBindings(bindings: Informer<Binding>, { queue, series, schedulerName, priorityOf }: Entry): void {
  bindings.onChange(({ old, new: binding }) => {
    if (!binding || !accepts(binding, schedulerName)) return;
    const known = old && accepts(old, schedulerName);
    if (known && old.metadata.generation === binding.metadata.generation) return;
    series.incoming(known ? 'BindingUpdate' : 'BindingAdd');
    queue.push(keyOf(binding), priorityOf(binding));
  });
}

interface AttemptDeps extends CommitDeps {
  readonly namespaced: Informer<Binding>;
  readonly clusterWide: Informer<Binding>;
  readonly clusters: Informer<Cluster>;
  readonly series: SchedulerSeries;
  readonly options: SchedulerOptions & ScheduleOptions;
}

const nothing = (): readonly AssumedWorkload[] => [];

async function scheduleOne(key: Key, deps: AttemptDeps): Promise<Again> {
  const isNamespaced = splitKey(key).namespace !== '';
  const binding = (isNamespaced ? deps.namespaced : deps.clusterWide).get(key);
  if (!binding || binding.metadata.deletionTimestamp || !binding.spec.placement) return 'no';
  const resource = isNamespaced ? resources.resourceBindings : resources.clusterResourceBindings;
  const isTerminating = (name: string): boolean => deps.clusters.get(name)?.metadata.deletionTimestamp !== undefined;
  const why = trigger(binding, isTerminating, { placesSets: deps.options.setEstimators !== undefined });
  if (!why) {
    await observe(binding, resource, deps);
    return 'no';
  }
  // A placement may have fifty thousand values, and comparing, deciding and writing it each take their time.
  await yieldToEventLoop();
  const { namespace } = binding.metadata;
  const peers = (group: 'affinityGroup' | 'antiAffinityGroup', value: string): readonly Binding[] =>
    deps.namespaced.byIndex(group, `${namespace}/${value}`).filter(peer => peer.metadata.uid !== binding.metadata.uid);
  const began = performance.now();
  let again: Again = 'backoff';
  try {
    const { accurateEstimators = [] } = deps.options;
    const { signal } = deps.context;
    const steps = attempt(binding, deps.clusters.list(), isNamespaced ? peers : undefined, deps.options);
    const result = await decided(steps, query =>
      memberEstimates(query, { estimators: accurateEstimators, assumed: nothing, signal }),
    );
    await yieldToEventLoop();
    return (again = await commit(binding, resource, result, deps));
  } finally {
    deps.series.attempted(why, again === 'no' ? 'scheduled' : 'error', (performance.now() - began) / 1000);
  }
}

/** Records, when there is nothing to decide, that this generation was observed. */
async function observe(binding: Binding, resource: GroupVersionResource, { context }: AttemptDeps): Promise<void> {
  const { generation, name = '', namespace = '' } = binding.metadata;
  if (binding.status?.schedulerObservedGeneration === generation) return;
  const patch = { status: { schedulerObservedGeneration: generation } };
  await context.client.patch(resource, { namespace, name }, { type: 'merge', patch }, { subresource: 'status' });
}
