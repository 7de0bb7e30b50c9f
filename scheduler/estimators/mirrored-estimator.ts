import type { Cluster, ObjectReference } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Informer, InformerFactory } from '../../client/runtime/interface.js';
import type { Clock } from '../../lib/clock.js';
import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import type { Logger } from '../../lib/logging/interface.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { unlessAborted } from '../../lib/unless-aborted.js';
import type { AccurateEstimator, EstimateTable, ReplicaEstimateRequest, SetEstimateRequest } from '../interface.js';
import { MemberEstimates } from './member/member-estimates.js';
import { unschedulableReplicas } from './member/unschedulable.js';
import { MirroredWorkloads } from './member/workload-readers.js';

/** A connected member. */
interface ConnectedMirrors {
  readonly informers: InformerFactory;
  /** Aborts when the connection ends, and with it the mirrors. */
  readonly signal: AbortSignal;
}

/** Connects on demand, and returns the same object while the connection lasts. Rejects if the member cannot be connected. */
export type ConnectMirrors = (cluster: Cluster) => Promise<ConnectedMirrors>;

export interface MirroredSettings {
  readonly timeoutMs: number;
  /** Gate ResourceQuotaEstimate. */
  readonly usesQuotas: boolean;
  /** Gate SchedulingOvercommitProtection. */
  readonly usesAssumed: boolean;
}

interface MirroredDeps {
  readonly connect: ConnectMirrors;
  /** Returns whether a member in pull mode can be connected; absent: none can. */
  readonly reachesPulled?: (cluster: Cluster) => boolean;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Milliseconds after the last question about a member until its mirrors are no longer used. */
const idleMs = 10 * 60_000;
const collectEveryMs = 60_000;

/** One member while questions about it come. Mirrors start with the first question that needs them. */
class EstimatedMember {
  readonly mirrors: ConnectedMirrors;
  /** By the clock. */
  usedAt = 0;
  /** A question has waited for the first lists until its timeout, so that the next ones do not. */
  isSlow = false;
  readonly #settings: MirroredSettings;
  #estimates: MemberEstimates | undefined;
  #workloads: MirroredWorkloads | undefined;

  constructor(mirrors: ConnectedMirrors, settings: MirroredSettings) {
    this.mirrors = mirrors;
    this.#settings = settings;
  }

  get estimates(): MemberEstimates {
    return (this.#estimates ??= new MemberEstimates({ informers: this.mirrors.informers, ...this.#settings }));
  }

  get workloads(): MirroredWorkloads {
    return (this.#workloads ??= new MirroredWorkloads(this.mirrors.informers, {}));
  }

  end(): void {
    this.#estimates?.end();
    this.#workloads?.end();
    this.#estimates = this.#workloads = undefined;
  }
}

/**
 * Estimates in this process, by mirrors of the members that it shares with the controllers. A member whose mirrors are not complete, or that cannot be
 * connected, has no estimate.
 */
export class MirroredEstimator implements AccurateEstimator {
  readonly #settings: MirroredSettings;
  readonly #deps: MirroredDeps;
  /** Whole clusters, which connections need: a decision has only parts of them. */
  readonly #clusters: Informer<Cluster>;
  readonly #members = new Map<string, EstimatedMember>();

  constructor(settings: MirroredSettings, deps: MirroredDeps) {
    this.#settings = settings;
    this.#deps = deps;
    const { informers, signal } = deps;
    this.#clusters = informers.informer<Cluster>(resources.clusters);
    const unsubscribe = this.#clusters.onChange(({ key, new: cluster }) => {
      if (!cluster) this.#forget(key);
    });
    const close = (): void => {
      unsubscribe();
      for (const name of [...this.#members.keys()]) this.#forget(name);
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    void this.#collect();
  }

  maxAvailableReplicas(
    { object, requirements, assumed }: ReplicaEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable> {
    return this.#askAll(clusters, { object, signal }, (name, estimates, until) =>
      estimates.replicas(requirements, assumed(name), until),
    );
  }

  maxAvailableComponentSets(
    { object, namespace, components, assumed }: SetEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable> {
    return this.#askAll(clusters, { object, signal }, (name, estimates, until) =>
      estimates.sets({ namespace, components }, assumed(name), until),
    );
  }

  async unschedulableReplicas(
    cluster: string,
    workload: ObjectReference,
    thresholdMs: number,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { clock, log } = this.#deps;
    const until = AbortSignal.any([signal, AbortSignal.timeout(this.#settings.timeoutMs)]);
    try {
      const { workloads } = await unlessAborted(this.#memberOf(cluster), until);
      return await unschedulableReplicas(workloads, workload, { thresholdMs, now: clock.now(), signal: until });
    } catch (error) {
      const { kind, namespace = '', name } = workload;
      log.debug({ cluster, object: `kind=${kind}, name=${namespace}/${name}`, cause: causeText(error) }, refusal);
      return undefined;
    }
  }

  async #askAll(
    clusters: readonly Cluster[],
    { object, signal }: { readonly object: string; readonly signal: AbortSignal },
    estimate: (name: string, estimates: MemberEstimates, until: AbortSignal) => Promise<number>,
  ): Promise<EstimateTable> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(this.#settings.timeoutMs)]);
    const table = new Map<string, number>();
    const answers: Promise<void>[] = [];
    const slice = new TimeSlice();
    const ask = async (name: string): Promise<void> => {
      try {
        const estimates = await this.#syncedEstimates(name, until);
        if (estimates) table.set(name, await estimate(name, estimates, until));
      } catch (error) {
        this.#deps.log.debug({ cluster: name, object, cause: causeText(error) }, refusal);
      }
    };
    for (const cluster of clusters) {
      const pause = slice.pause();
      if (pause) await pause;
      answers.push(ask(cluster.metadata.name ?? ''));
    }
    await Promise.all(answers);
    return table;
  }

  /** Returns the estimates of a member once its mirrors are complete; undefined if an earlier question has waited for them in vain. */
  async #syncedEstimates(cluster: string, until: AbortSignal): Promise<MemberEstimates | undefined> {
    const member = await unlessAborted(this.#memberOf(cluster), until);
    const { estimates } = member;
    if (estimates.hasSynced) return estimates;
    if (member.isSlow) return undefined;
    try {
      await unlessAborted(estimates.synced, until);
    } catch (error) {
      member.isSlow = true;
      throw error;
    }
    return estimates.hasSynced ? estimates : undefined;
  }

  /** Rejects for a member that cannot be connected. */
  async #memberOf(name: string): Promise<EstimatedMember> {
    const cluster = this.#clusters.get(name);
    if (!cluster) throw new ExpectedError('there is no such cluster');
    if (cluster.spec.syncMode === 'Pull' && !this.#deps.reachesPulled?.(cluster))
      throw new ExpectedError('a member in pull mode is not connected');
    const mirrors = await this.#deps.connect(cluster);
    this.#deps.signal.throwIfAborted();
    mirrors.signal.throwIfAborted();
    let member = this.#members.get(name);
    if (member?.mirrors !== mirrors) {
      if (member) this.#forget(name);
      member = new EstimatedMember(mirrors, this.#settings);
      this.#members.set(name, member);
    }
    member.usedAt = this.#deps.clock.now();
    return member;
  }

  #forget(name: string): void {
    this.#members.get(name)?.end();
    this.#members.delete(name);
  }

  /** Ends the use of mirrors that no question needs any more, and of those whose connection has ended, until the signal aborts. */
  async #collect(): Promise<void> {
    const { clock, signal } = this.#deps;
    for (;;) {
      await clock.sleep(collectEveryMs, signal);
      if (signal.aborted) return;
      const before = clock.now() - idleMs;
      for (const [name, { mirrors, usedAt }] of this.#members)
        if (usedAt < before || mirrors.signal.aborted) this.#forget(name);
    }
  }
}

const refusal = 'a member has no estimate';
