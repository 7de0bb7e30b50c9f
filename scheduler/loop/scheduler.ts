import { FailureStates } from '../../lib/logging/failure-state.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer } from '../../client/runtime/interface.js';
import type { RateLimits } from '../../client/runtime/rate-limiter.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import type { AccurateEstimator, Estimator, SetEstimator } from '../interface.js';
import { DecisionClasses } from '../place/classes.js';
import { type Plugin, pluginsWithout } from '../plugins/plugins.js';
import { Assumptions } from './assumptions.js';
import { BindingClasses } from './binding-classes.js';
import { ClusterChanges } from './cluster-changes.js';
import { ClusterSnapshot } from './cluster-snapshot.js';
import { concerns, offersKind } from './concern.js';
import { FirstPlacements } from './first-placements.js';
import { InFlight } from './in-flight.js';
import { type Again, createSchedulingQueue, type SchedulingQueue } from './queue.js';
import { BindingScheduler } from './binding-scheduler.js';
import { type QueueCause, schedulerSeries, type SchedulerSeries } from './series.js';
import type { Help, WakeUps } from './wake-ups.js';
import { wireWakeUps } from './wire-wake-ups.js';

interface SchedulerOptions {
  /** Bindings with another scheduler name are ignored. */
  readonly schedulerName: string;
  readonly enableEmptyWorkloadPropagation: boolean;
  readonly estimators: readonly Estimator[];
  /** Absent: components are not placed as a set (gate MultiplePodTemplatesScheduling). */
  readonly setEstimators?: readonly SetEstimator[] | undefined;
  /** Estimators that ask the members about the clusters that have passed the filters. */
  readonly accurateEstimators?: readonly AccurateEstimator[];
  /** Count what recent decisions have given to clusters (gate SchedulingOvercommitProtection). */
  readonly protectsFromOvercommit?: boolean;
  readonly disabledPlugins?: ReadonlySet<string>;
  /** Present: bindings are scheduled in the order of their arrival, and retried within these limits (gate PriorityBasedScheduling is off). */
  readonly rateLimits?: RateLimits | undefined;
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
  const queue = createSchedulingQueue(clock, options.rateLimits);
  signal.addEventListener('abort', () => queue.close(), { once: true });
  await Promise.all([namespaced.synced, clusterWide.synced, clusters.synced]);
  if (signal.aborted) return;

  const series = schedulerSeries(context.meter, queue);
  const priorityOf = options.rateLimits ? () => 0 : schedulePriority;
  const entry: Entry = { queue, series, schedulerName: options.schedulerName, priorityOf };
  for (const bindings of [namespaced, clusterWide]) wireBindings(bindings, entry);
  const active = pluginsWithout(options.disabledPlugins);
  const snapshot = new ClusterSnapshot();
  snapshot.follow(clusters);
  const requeue = (cause: QueueCause) => (binding: Binding) => {
    series.incoming(cause);
    queue.push(keyOf(binding), priorityOf(binding));
  };
  const following = { namespaced, clusterWide, clusters, snapshot, active, requeue };
  const { firstPlacements, wakeUps } = followClusters(context, options, following);
  const { accurateEstimators = [], estimators, disabledPlugins } = options;
  const inFlight = new InFlight(namespaced);
  const assumptions = options.protectsFromOvercommit ? new Assumptions(clock) : undefined;
  namespaced.onChange(change => {
    inFlight.changed(change);
    assumptions?.changed(change);
  });
  void assumptions?.collect(signal);
  const scheduling = new BindingScheduler({
    ...{
      context,
      recorder,
      namespaced,
      clusterWide,
      series,
      clusters: snapshot,
      inFlight,
      firstPlacements,
      wakeUps,
      explains: context.recorder(`${options.schedulerName}-explanations`),
      assumptions,
      accurateEstimators,
    },
    options: {
      ...options,
      timed: series.timed,
      timedPlugin: series.timedPlugin,
      asksMembers: accurateEstimators.length > 0,
      assumed: assumptions?.of,
      classes: new DecisionClasses({ estimators, disabledPlugins }),
    },
  });
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
        outcome = await scheduling.scheduleOne(key);
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

/** What the event handlers of clusters need to queue bindings. */
interface Following {
  readonly namespaced: Informer<Binding>;
  readonly clusterWide: Informer<Binding>;
  readonly clusters: Informer<Cluster>;
  readonly snapshot: ClusterSnapshot;
  readonly active: readonly Plugin[];
  readonly requeue: (cause: QueueCause) => (binding: Binding) => void;
}

/** Queues the bindings that changes of clusters concern, and those that wait for what has happened. */
function followClusters(
  context: ControllerContext,
  { schedulerName, estimators }: SchedulerOptions,
  { requeue, ...mirrors }: Following,
): { firstPlacements: FirstPlacements; wakeUps: WakeUps } {
  const { namespaced, clusterWide, clusters, active } = mirrors;
  const firstPlacements = new FirstPlacements(context.clock);
  const classes = new BindingClasses(binding => accepts(binding, schedulerName));
  const changes = new ClusterChanges({
    classes,
    loaded: Promise.all([namespaced, clusterWide].map(mirror => classes.follow(mirror))),
    read: key => namespaced.get(key) ?? clusterWide.get(key),
    concerns: (history, input) => concerns(history, input, active),
    offersKind: (history, input) => offersKind(history, input, active),
    wasJustPlaced: key => firstPlacements.has(key),
    found(binding, isOvertaken) {
      if (isOvertaken) firstPlacements.overtaken(keyOf(binding));
      requeue('ClusterChanged')(binding);
    },
    signal: context.signal,
  });
  clusters.onChange(({ old, new: cluster }) => {
    if (old && cluster) changes.changed(old, cluster);
  });
  const wakeUps = wireWakeUps(context, {
    ...mirrors,
    classes,
    estimators,
    found: (binding, help) => {
      if (accepts(binding, schedulerName)) requeue(causeBy[help])(binding);
    },
  });
  return { firstPlacements, wakeUps };
}

const causeBy: Readonly<Record<Help, QueueCause>> = {
  room: 'ClusterChanged',
  peers: 'BindingUpdate',
  quota: 'QuotaUpdate',
};

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
