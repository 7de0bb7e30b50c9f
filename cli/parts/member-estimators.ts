import { componentContext } from '../../client/runtime/component.js';
import { createAccurateEstimator } from '../../scheduler/estimators/accurate-estimator.js';
import type { AccurateEstimator, EstimatorSettings } from '../../scheduler/interface.js';
import type { Part, PartContext } from '../../server/parts.js';
import type { MemberMirrors } from './member-mirrors.js';

/** The estimator of members, which the scheduler, the descheduler and explanations share. It is created when the first of them asks. */
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
  #estimator: AccurateEstimator | undefined;

  constructor(settings: EstimatorSettings, mirrors: MemberMirrors) {
    this.#settings = settings;
    this.#mirrors = mirrors;
  }

  get estimator(): AccurateEstimator {
    return (this.#estimator ??= this.#create());
  }

  #create(): AccurateEstimator {
    if (!this.#context) throw new Error('the part of the estimators has not started');
    const { featureGates: gates } = this.#context;
    const context = componentContext(this.#context, 'karmada-scheduler');
    const usesQuotas = gates.ResourceQuotaEstimate;
    const usesAssumed = gates.SchedulingOvercommitProtection;
    const connect = this.#mirrors.connecting(context);
    return createAccurateEstimator(this.#settings, { usesQuotas, usesAssumed }, { ...context, connect });
  }
}
