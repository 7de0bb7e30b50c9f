import type { Cluster } from '../../api/karmada/types.js';
import { componentContext } from '../../client/runtime/component.js';
import { createAccurateEstimator } from '../../scheduler/estimators/accurate-estimator.js';
import type { AccurateEstimator, AnswerEstimates, EstimatorSettings } from '../../scheduler/interface.js';
import { memberEstimates } from '../../scheduler/loop/member-estimates.js';
import type { Part, PartContext } from '../../server/parts.js';
import type { MemberMirrors } from './member-mirrors.js';

/** Milliseconds for which the estimator stays after an explanation, if nothing else uses it: mostly others follow. */
const lingerMs = 60_000;

/** One of the uses of the estimator. */
export interface EstimatorUse<T = AccurateEstimator> {
  readonly estimator: T;
  /** To be called when the estimator is not asked any more. */
  readonly end: () => void;
}

/** The estimator while it is used. */
interface Shared {
  readonly estimator: AccurateEstimator;
  readonly ending: AbortController;
  uses: number;
}

const nothingAssumed = (): readonly never[] => [];

/**
 * The estimator of members, which the scheduler, the descheduler and explanations share. It exists while one of them uses it: a server that does not lead
 * any more has no connections to the estimators of members, and no mirrors for estimates.
 */
export class MemberEstimators {
  /** Starts before the parts that ask. */
  readonly part: Part = {
    name: 'member-estimators',
    start: context => {
      this.#context = context;
      return Promise.resolve();
    },
  };
  readonly #settings: EstimatorSettings;
  readonly #mirrors: MemberMirrors;
  #context: PartContext | undefined;
  #shared: Shared | undefined;
  /** The last use by an explanation that has ended. */
  #lingering: { readonly use: EstimatorUse; readonly timer: NodeJS.Timeout } | undefined;

  constructor(settings: EstimatorSettings, mirrors: MemberMirrors) {
    this.#settings = settings;
    this.#mirrors = mirrors;
  }

  /** Throws before the part has started. */
  use(): EstimatorUse {
    const shared = (this.#shared ??= this.#create());
    shared.uses++;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      if (--shared.uses > 0) return;
      this.#shared = undefined;
      shared.ending.abort();
    };
    return { estimator: shared.estimator, end };
  }

  /** Answers a decision that is only explained, in which nothing is assumed to run in clusters. */
  readonly answer: AnswerEstimates = async (query, signal) => {
    if (!this.#context) return new Map(); // a worker process may ask while the parts of this one start
    const use = this.use();
    try {
      return await memberEstimates(query, { estimators: [use.estimator], assumed: nothingAssumed, signal });
    } finally {
      this.#endLater(use);
    }
  };

  #endLater(use: EstimatorUse): void {
    if (this.#lingering) clearTimeout(this.#lingering.timer);
    this.#lingering?.use.end();
    const timer = setTimeout(() => {
      this.#lingering = undefined;
      use.end();
    }, lingerMs);
    timer.unref();
    this.#lingering = { use, timer };
  }

  #create(): Shared {
    if (!this.#context) throw new Error('the part of the estimators has not started');
    const { featureGates: gates } = this.#context;
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#context.signal, ending.signal]);
    const context = componentContext({ ...this.#context, signal }, 'karmada-scheduler');
    const usesQuotas = gates.ResourceQuotaEstimate;
    const usesAssumed = gates.SchedulingOvercommitProtection;
    const connect = this.#mirrors.connecting(context);
    const { tunnels } = this.#mirrors;
    const reachesPulled = (cluster: Cluster): boolean => tunnels?.routeOf(cluster) !== undefined;
    const estimator = createAccurateEstimator(
      this.#settings,
      { usesQuotas, usesAssumed },
      { ...context, connect, reachesPulled },
    );
    return { estimator, ending, uses: 0 };
  }
}
