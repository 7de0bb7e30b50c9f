/** Operations that all kinds of Flux share. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { DependentReference } from '../../interface.js';
import { aggregateGenerations, type FieldRule } from '../aggregate.js';
import { assigned } from '../assigned.js';
import { hasTrueCondition, mergedConditions } from '../conditions.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter } from '../kind.js';
import { fieldAt } from '../read.js';
import { reflectGenerations } from '../reflect.js';

/** Keeps whether the reconciliation is suspended in the member. */
function retainSuspend(desired: KubeObject, observed: KubeObject): KubeObject {
  const suspend = fieldAt(observed, 'spec', 'suspend');
  return suspend === undefined ? desired : assigned(desired, ['spec', 'suspend'], suspend);
}

interface Reconciled {
  /** Reasons of the condition `Ready` in a healthy object. */
  readonly reasons: readonly string[];
  /** Fields of the aggregated status in addition to the conditions and observedGeneration. */
  readonly aggregated: Readonly<Record<string, FieldRule>>;
  /** Fields of the status that are collected, in addition to the conditions. */
  readonly reflected: readonly string[];
  readonly dependencies: (object: KubeObject) => readonly DependentReference[];
}

/** Returns the interpreter of a kind that a controller of Flux reconciles. */
export const fluxKind = ({ reasons, aggregated, reflected, dependencies }: Reconciled): KindInterpreter => ({
  retain: retainSuspend,
  aggregateStatus: aggregateGenerations({ ...aggregated, conditions: mergedConditions }),
  dependencies,
  reflectStatus: reflectGenerations(['conditions', ...reflected]),
  health: healthyIf(object => hasTrueCondition(object, 'Ready', reasons)),
});
