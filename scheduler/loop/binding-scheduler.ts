import { yieldToEventLoop } from '../../lib/time-slice.js';
import { splitKey } from '../../client/key.js';
import type { EventRecorder, Informer, Key } from '../../client/runtime/interface.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Binding, TargetCluster } from '../../api/karmada/types.js';
import type { AccurateEstimator, AssumedWorkload, ScheduleOptions, SchedulingInput } from '../interface.js';
import { workloadAffinity, workloadAntiAffinity } from '../plugins/workload-affinity.js';
import type { Assumptions } from './assumptions.js';
import { type Attempt, attempt } from './attempt.js';
import type { ClusterSnapshot } from './cluster-snapshot.js';
import { type CommitDeps, commit, recordOnBoth, sameTargets } from './commit.js';
import { decided } from './decided.js';
import { decisionText } from './decision-text.js';
import type { FirstPlacements } from './first-placements.js';
import { helpFor } from './wake-ups/help.js';
import type { InFlight } from './in-flight.js';
import { memberEstimates } from './member-estimates.js';
import { peerKeys } from './wake-ups/peer-keys.js';
import type { Again } from './queue.js';
import type { SchedulerSeries } from './series.js';
import { type Trigger, trigger } from './trigger.js';
import type { WakeUps } from './wake-ups/wake-ups.js';

interface SchedulingDeps extends CommitDeps {
  readonly namespaced: Informer<Binding>;
  readonly clusterWide: Informer<Binding>;
  readonly clusters: ClusterSnapshot;
  readonly series: SchedulerSeries;
  readonly inFlight: InFlight;
  readonly firstPlacements: FirstPlacements;
  readonly wakeUps: WakeUps;
  /** Records explanations in the name of another component, so that they do not use up the budget for the Events of karmada-scheduler. */
  readonly explains: EventRecorder;
  /** Absent: without the gate SchedulingOvercommitProtection. */
  readonly assumptions?: Assumptions | undefined;
  readonly accurateEstimators: readonly AccurateEstimator[];
  readonly options: ScheduleOptions;
}

/** A binding that is to be decided about. */
interface Due {
  readonly key: Key;
  readonly binding: Binding;
  /** `binding` itself, or a copy of it with a request to reschedule that is not in the store. */
  readonly asked: Binding;
  readonly why: Trigger;
}

/** How often a decision is made again because of others that were made meanwhile, until it waits for a retry. */
const maxDecisions = 10;

const nothing: readonly AssumedWorkload[] = [];
const nothingToUndo = (): void => undefined;

/** Schedules bindings, several at the same time. */
export class BindingScheduler {
  readonly #deps: SchedulingDeps;

  constructor(deps: SchedulingDeps) {
    this.#deps = deps;
  }

  /** Attempts to schedule a binding, if there is a reason to. Rejects if the result cannot be written. */
  async scheduleOne(key: Key): Promise<Again> {
    const { namespaced, clusterWide, series, firstPlacements, wakeUps } = this.#deps;
    const isNamespaced = splitKey(key).namespace !== '';
    const binding = (isNamespaced ? namespaced : clusterWide).get(key);
    // differs: Karmada warns in an Event of every binding that is being deleted, also in normal operation.
    if (!binding || binding.metadata.deletionTimestamp || !binding.spec.placement) {
      wakeUps.forget(key);
      return 'no';
    }
    const resource = isNamespaced ? resources.resourceBindings : resources.clusterResourceBindings;
    const asked = firstPlacements.take(key, binding);
    const why = this.#trigger(asked);
    if (!why) {
      wakeUps.forget(key);
      await this.#observe(binding, resource);
      return 'no';
    }
    // A placement may have fifty thousand values, and comparing, deciding and writing it each take their time.
    await yieldToEventLoop();
    const began = performance.now();
    let again: Again = 'backoff';
    const due = { key, binding, asked, why };
    if (!binding.spec.clusters?.length) firstPlacements.began(key);
    wakeUps.began(key, binding);
    try {
      return (again = await (isNamespaced ? this.#placeMember(due) : this.#place(due)));
    } finally {
      wakeUps.ended(key);
      series.attempted(why, again === 'no' ? 'scheduled' : 'error', (performance.now() - began) / 1000);
    }
  }

  /** Returns the reason to schedule the binding. */
  #trigger(binding: Binding): Trigger | undefined {
    const { clusters, options } = this.#deps;
    const isTerminating = (name: string): boolean => clusters.get(name)?.metadata.deletionTimestamp !== undefined;
    return trigger(binding, isTerminating, { placesSets: options.setEstimators !== undefined });
  }

  async #place(due: Due): Promise<Again> {
    const result = await this.#decide(due.asked, undefined);
    await yieldToEventLoop();
    return this.#commit(due, resources.clusterResourceBindings, result, this.#deps);
  }

  /** Places a binding that may be a member of affinity groups. */
  async #placeMember(due: Due): Promise<Again> {
    const { inFlight } = this.#deps;
    const { key, asked } = due;
    const made = await this.#decideMember(asked);
    if (!made) return 'backoff';
    const { result, undo } = made;
    let isWritten = false;
    try {
      await yieldToEventLoop();
      const written = (current: Binding): void => {
        isWritten = true;
        if (hasGroup(current)) inFlight.written(current);
      };
      return await this.#commit(due, resources.resourceBindings, result, { ...this.#deps, written });
    } finally {
      inFlight.ended(key);
      if (!isWritten) {
        undo();
        this.#retracted(due, result);
      }
    }
  }

  /** Wakes the bindings that may wait because of targets that were decided and are not written: others of their groups were decided as if they were. */
  #retracted({ key, asked }: Due, { decision }: Attempt): void {
    const { wakeUps, namespaced } = this.#deps;
    // A decision without new targets has kept no other member of the group away.
    if (decision.type !== 'placed' || sameTargets(asked.spec.clusters ?? [], decision.clusters)) return;
    wakeUps.happened('peers', peerKeys(key, [asked], namespaced));
  }

  async #commit(
    { key, binding, asked, why }: Due,
    resource: GroupVersionResource,
    result: Attempt,
    deps: CommitDeps,
  ): Promise<Again> {
    // The scheduler itself has requested this decision: if it fails, the targets stay. The next attempt is for a change of the binding, if there is one.
    const isOptional = asked !== binding;
    const unchanged = (): Again => (this.#trigger(binding) ? 'backoff' : 'no');
    if (result.decision.type !== 'placed') {
      this.#deps.firstPlacements.drop(key);
      if (isOptional) return unchanged();
    }
    const { again, refusal } = await commit(binding, resource, result, { ...deps, isOptional });
    if (refusal && isOptional) return unchanged();
    if (refusal && !binding.spec.clusters?.length) this.#deps.firstPlacements.drop(key);
    const help = helpFor(binding, result.decision, refusal);
    if (help.length > 0) this.#deps.wakeUps.waits(key, help);
    else this.#deps.wakeUps.forget(key);
    const message = decisionText({ binding, why, isOvertaken: asked !== binding, result, refusal });
    if (message !== undefined)
      recordOnBoth(binding, this.#deps.explains, { type: 'Normal', reason: 'SchedulingExplained', message });
    return again;
  }

  /**
   * Decides, and lets the decision count for others at once. Several bindings are decided at the same time: a decision is made again if other members of
   * its groups were placed meanwhile, or its targets were given something that it did not count. Returns it with a function that takes back what it
   * assumes; undefined if that happens again and again.
   */
  async #decideMember(binding: Binding): Promise<{ result: Attempt; undo: () => void } | undefined> {
    const { inFlight, assumptions } = this.#deps;
    const peers: SchedulingInput['peers'] = (group, value) => inFlight.peersOf(binding, group, value);
    let since = assumptions?.added ?? 0;
    const isFuller = (targets: readonly TargetCluster[] = []): boolean =>
      assumptions !== undefined && targets.some(({ name }) => assumptions.isFuller(name, since));
    let result = await this.#decide(binding, peers);
    for (let i = 1; isFuller(result.clusters) || !this.#agrees(binding, result.clusters, peers); i++) {
      if (i === maxDecisions) return undefined;
      since = assumptions?.added ?? 0;
      result = await this.#decide(binding, peers);
    }
    // There is no turn of the event loop since the check.
    if (result.clusters && hasGroup(binding)) inFlight.decided(binding, result.clusters);
    const undo = (result.clusters && assumptions?.assume(binding, result.clusters)) ?? nothingToUndo;
    return { result, undo };
  }

  async #decide(binding: Binding, peers: SchedulingInput['peers']): Promise<Attempt> {
    const { accurateEstimators: estimators, context, clusters, options, assumptions } = this.#deps;
    const steps = attempt(binding, clusters.list, peers, options);
    const { signal } = context;
    const assumed = (cluster: string): readonly AssumedWorkload[] => assumptions?.of(cluster)?.workloads ?? nothing;
    return decided(steps, query => memberEstimates(query, { estimators, assumed, signal }));
  }

  /** Reports whether the members of its groups that were placed during the decision allow the targets. */
  #agrees(binding: Binding, targets: readonly TargetCluster[] | undefined, peers: SchedulingInput['peers']): boolean {
    if (!targets?.length || !peers || !hasGroup(binding)) return true;
    const { disabledPlugins } = this.#deps.options;
    const input = { spec: binding.spec, status: binding.status ?? {}, peers };
    return targets.every(({ name }) => {
      const cluster = this.#deps.clusters.get(name);
      if (!cluster) return true;
      const isRefused = (plugin: string, filter: typeof workloadAffinity): boolean =>
        !disabledPlugins?.has(plugin) && filter(input, cluster) !== undefined;
      return (
        !isRefused('WorkloadAffinity', workloadAffinity) && !isRefused('WorkloadAntiAffinity', workloadAntiAffinity)
      );
    });
  }

  /** Records, when there is nothing to decide, that this generation was observed. */
  async #observe(binding: Binding, resource: GroupVersionResource): Promise<void> {
    const { generation, name = '', namespace = '' } = binding.metadata;
    if (binding.status?.schedulerObservedGeneration === generation) return;
    const patch = { status: { schedulerObservedGeneration: generation } };
    const change = { type: 'merge', patch } as const;
    await this.#deps.context.client.patch(resource, { namespace, name }, change, { subresource: 'status' });
  }
}

function hasGroup({ spec: { workloadAffinityGroups: groups } }: Binding): boolean {
  return Boolean(groups?.affinityGroup ?? groups?.antiAffinityGroup);
}
