import { FailureStates } from '../../lib/logging/failure-state.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, Informer, Key } from '../../client/runtime/interface.js';
import type { RateLimits } from '../../client/runtime/rate-limiter.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import type { AccurateEstimator, Estimator, SetEstimator } from '../interface.js';
import { DecisionClasses } from '../place/classes.js';
import { pluginsWithout } from '../plugins/plugins.js';
import { Assumptions } from './assumptions.js';
import { BindingClasses } from './wake-ups/binding-classes.js';
import { ClusterChanges } from './wake-ups/cluster-changes.js';
import { ClusterSnapshot } from './cluster-snapshot.js';
import { concerns, offersKind } from './wake-ups/concern.js';
import { FirstPlacements } from './first-placements.js';
import { InFlight } from './in-flight.js';
import { type Again, createSchedulingQueue, type SchedulingQueue } from './queue.js';
import { BindingScheduler } from './binding-scheduler.js';
import { type QueueCause, SchedulerSeries } from './series.js';
import type { Help, WakeUps } from './wake-ups/wake-ups.js';
import { wireWakeUps } from './wake-ups/wire-wake-ups.js';

interface SchedulerOptions {
  /** Bindings with another scheduler name are ignored. */
  readonly schedulerName: string;
  /** As in ScheduleOptions. */
  readonly enableEmptyWorkloadPropagation: boolean;
  readonly estimators: readonly Estimator[];
  /** Absent: components are not placed as a set (gate MultiplePodTemplatesScheduling). */
  readonly setEstimators?: readonly SetEstimator[] | undefined;
  /** Estimators that ask the members about the clusters that have passed the filters. */
  readonly accurateEstimators?: readonly AccurateEstimator[];
  /** What recent decisions have given to clusters counts (gate SchedulingOvercommitProtection). */
  readonly protectsFromOvercommit?: boolean;
  readonly disabledPlugins?: ReadonlySet<string>;
  /** Present: bindings are scheduled in the order of their arrival, and retried within these limits (gate PriorityBasedScheduling is off). */
  readonly rateLimits?: RateLimits | undefined;
  /** The number of bindings that are scheduled at the same time. */
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
  const { informers, signal, clock } = context;
  const groups = {
    affinityGroup: (b: Binding) => group(b, b.spec.workloadAffinityGroups?.affinityGroup),
    antiAffinityGroup: (b: Binding) => group(b, b.spec.workloadAffinityGroups?.antiAffinityGroup),
  };
  const namespaced = informers.informer<Binding>(resources.resourceBindings, { indexers: groups });
  const clusterWide = informers.informer<Binding>(resources.clusterResourceBindings);
  const clusters = informers.informer<Cluster>(resources.clusters);
  const queue = createSchedulingQueue(clock, options.rateLimits);
  signal.addEventListener('abort', () => queue.close(), { once: true });
  await Promise.all([namespaced.synced, clusterWide.synced, clusters.synced]);
  if (signal.aborted) return;
  await new Scheduler(context, options, { namespaced, clusterWide, clusters, queue }).run();
}

/** What the scheduler reads, and the queue of the bindings that it has to schedule. */
interface Inputs {
  readonly namespaced: Informer<Binding>;
  readonly clusterWide: Informer<Binding>;
  readonly clusters: Informer<Cluster>;
  readonly queue: SchedulingQueue;
}

/** What is known about bindings that wait for more than their own changes. */
interface Following {
  readonly firstPlacements: FirstPlacements;
  readonly wakeUps: WakeUps;
}

/** Queues the bindings that changes concern, and schedules those in the queue. The informers must have synced. */
class Scheduler {
  readonly #context: ControllerContext;
  readonly #options: SchedulerOptions;
  readonly #inputs: Inputs;
  readonly #series: SchedulerSeries;
  readonly #failureStates: FailureStates;
  /** Returns the priority of a binding in the queue. */
  readonly #priorityOf: (binding: Binding) => number;

  constructor(context: ControllerContext, options: SchedulerOptions, inputs: Inputs) {
    const { clock, log, meter } = context;
    this.#context = context;
    this.#options = options;
    this.#inputs = inputs;
    this.#series = new SchedulerSeries(meter, inputs.queue);
    this.#priorityOf = options.rateLimits ? () => 0 : schedulePriority;
    this.#failureStates = new FailureStates({
      log,
      now: () => clock.now(),
      fails: 'a binding cannot be scheduled; it is tried again',
      works: 'a binding can be scheduled again',
    });
  }

  /** Resolves when the queue is closed and the attempts that had begun have ended. */
  async run(): Promise<void> {
    const { namespaced, clusterWide, clusters } = this.#inputs;
    for (const bindings of [namespaced, clusterWide]) this.#wireBindings(bindings);
    const snapshot = new ClusterSnapshot();
    snapshot.follow(clusters);
    const scheduling = this.#bindingScheduler(snapshot, this.#followClusters(snapshot));
    // Decisions need all clusters, and all bindings with their priorities.
    await this.#context.informers.replayed();
    await Promise.all(Array.from({ length: this.#options.workers ?? 8 }, () => this.#work(scheduling)));
  }

  #push(binding: Binding, cause: QueueCause): void {
    this.#series.incoming(cause);
    this.#inputs.queue.push(keyOf(binding), this.#priorityOf(binding));
  }

  /** Queues new bindings, and those with a new generation. */
  #wireBindings(bindings: Informer<Binding>): void {
    const { schedulerName } = this.#options;
    bindings.onChange(({ old, new: binding }) => {
      if (!binding || !accepts(binding, schedulerName)) return;
      const known = old && accepts(old, schedulerName);
      if (known && old.metadata.generation === binding.metadata.generation) return;
      this.#push(binding, known ? 'BindingUpdate' : 'BindingAdd');
    });
  }

  /** Queues the bindings that changes of clusters concern, and those that wait for what has happened. */
  #followClusters(snapshot: ClusterSnapshot): Following {
    const { namespaced, clusterWide, clusters } = this.#inputs;
    const { schedulerName, estimators, disabledPlugins } = this.#options;
    const active = pluginsWithout(disabledPlugins);
    const firstPlacements = new FirstPlacements(this.#context.clock);
    const classes = new BindingClasses(binding => accepts(binding, schedulerName));
    const changes = new ClusterChanges({
      classes,
      loaded: Promise.all([namespaced, clusterWide].map(mirror => classes.follow(mirror))),
      read: key => namespaced.get(key) ?? clusterWide.get(key),
      concerns: (history, input) => concerns(history, input, active),
      offersKind: (history, input) => offersKind(history, input, active),
      wasJustPlaced: key => firstPlacements.has(key),
      found: (binding, isOvertaken) => {
        if (isOvertaken) firstPlacements.overtaken(keyOf(binding));
        this.#push(binding, 'ClusterChanged');
      },
      signal: this.#context.signal,
    });
    clusters.onLaterChange(({ old, new: cluster }) => {
      if (old && cluster) changes.changed(old, cluster);
    });
    const wakeUps = wireWakeUps(this.#context, {
      ...{ namespaced, clusterWide, clusters, snapshot, active, classes, estimators },
      found: (binding, help) => {
        if (accepts(binding, schedulerName)) this.#push(binding, causeBy[help]);
      },
    });
    return { firstPlacements, wakeUps };
  }

  #bindingScheduler(clusters: ClusterSnapshot, following: Following): BindingScheduler {
    const context = this.#context;
    const series = this.#series;
    const { namespaced, clusterWide } = this.#inputs;
    const { schedulerName, accurateEstimators = [], estimators, disabledPlugins } = this.#options;
    const inFlight = new InFlight(namespaced);
    const assumptions = this.#options.protectsFromOvercommit ? new Assumptions(context.clock) : undefined;
    namespaced.onLaterChange(change => {
      inFlight.changed(change);
      assumptions?.changed(change);
    });
    void assumptions?.collect(context.signal);
    return new BindingScheduler({
      ...{ context, namespaced, clusterWide, series, clusters, inFlight, assumptions, accurateEstimators },
      ...following,
      recorder: context.recorder(schedulerName),
      explains: context.recorder(`${schedulerName}-explanations`),
      options: {
        ...this.#options,
        timed: series.timed,
        timedPlugin: series.timedPlugin,
        asksMembers: accurateEstimators.length > 0,
        assumed: assumptions?.of,
        classes: new DecisionClasses({ estimators, disabledPlugins }),
      },
    });
  }

  /** Schedules bindings, one after the other, until the queue is closed. */
  async #work(scheduling: BindingScheduler): Promise<void> {
    const { queue } = this.#inputs;
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      const outcome = await this.#attempt(scheduling, key);
      if (outcome !== 'no') this.#series.incoming('ScheduleAttemptFailure');
      queue.done(key, outcome);
      await yieldToEventLoop();
    }
  }

  async #attempt(scheduling: BindingScheduler, key: Key): Promise<Again> {
    try {
      const outcome = await scheduling.scheduleOne(key);
      this.#failureStates.worked(key);
      return outcome;
    } catch (error) {
      if (!this.#context.signal.aborted) {
        this.#context.log.debug({ binding: key, err: error }, 'a scheduling attempt failed');
        this.#failureStates.failed(key, error, { controller: 'scheduler', object: key });
      }
      return 'backoff';
    }
  }
}

const causeBy: Readonly<Record<Help, QueueCause>> = {
  room: 'ClusterChanged',
  peers: 'BindingUpdate',
  quota: 'QuotaUpdate',
};

const group = (binding: Binding, value: string | undefined): string[] =>
  value ? [`${binding.metadata.namespace}/${value}`] : [];

const schedulePriority = (binding: Binding): number => binding.spec.schedulePriority?.priority ?? 0;
