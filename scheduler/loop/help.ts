/** What may help a binding that could not be placed. Pure. */
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { jsonText } from '../../lib/json/json.js';
import type { Decision, Estimator } from '../interface.js';
import { isUnplaced } from '../place/classes.js';
import { type Plugin, filterRefusal } from '../plugins/plugins.js';
import type { Committed } from './commit.js';
import type { Help } from './wake-ups.js';

/**
 * Returns what may help after an attempt, besides changes of the binding, and of labels, taints and kinds of clusters, which `ClusterChanges` finds.
 * Targets that the server has refused for another reason than a quota are only tried again.
 */
export function helpFor({ spec }: Binding, decision: Decision, refusal: Committed['refusal']): readonly Help[] {
  const { type } = decision;
  if (type === 'placed') return refusal === 'QuotaExceeded' ? ['quota'] : [];
  const { affinityGroup, antiAffinityGroup } = spec.workloadAffinityGroups ?? {};
  const peers: readonly Help[] = (affinityGroup ?? antiAffinityGroup) ? ['peers'] : [];
  return type === 'FitError' ? peers : ['room', ...peers];
}

/** Returns a function that reports whether a cluster that fits a binding has more room for its replicas than in an earlier state. */
export const roomChecker =
  (active: readonly Plugin[], estimators: readonly Estimator[]) =>
  ({ spec, status = {} }: Binding, before: Cluster, now: Cluster): boolean => {
    const hasGained =
      // The members of a set are not estimated one by one.
      Boolean(spec.components?.length) ||
      estimators.some(estimate => numberOf(estimate(now, spec)) > numberOf(estimate(before, spec)));
    if (!hasGained) return false;
    const terms = (!spec.placement?.clusterAffinity && spec.placement?.clusterAffinities) || [undefined];
    return terms.some(term => filterRefusal(active, { spec, status, term }, now) === undefined);
  };

/** Longer texts are no classes. */
const maxClassLength = 16_384;

/** Returns how many of `left` characters remain after the JSON of a value, at most; reads no more of the value once none remain. */
function charactersLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length - 2;
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - 1;
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) {
      rest = charactersLeft(each, rest - 1);
      if (rest < 0) break;
    }
    return rest;
  }
  for (const [key, each] of Object.entries(value)) {
    rest = charactersLeft(each, rest - key.length - 4);
    if (rest < 0) break;
  }
  return rest;
}

/** Returns what decides about the room that a binding finds, as a text; undefined if it has targets or groups, by which it differs from others. */
export function roomClassOf({ spec }: Binding): string | undefined {
  if (!isUnplaced(spec)) return undefined;
  const { apiVersion, kind } = spec.resource;
  const hasComponents = Boolean(spec.components?.length);
  const parts = [apiVersion, kind, hasComponents, spec.replicaRequirements ?? null, spec.placement ?? null];
  // A long placement is not written: this is asked for each binding that waits, whenever clusters report other room.
  if (charactersLeft(parts, maxClassLength) < 0) return undefined;
  const text = jsonText(parts);
  return text.length > maxClassLength ? undefined : text;
}

/** Estimates in steps consider assumed workloads, which are not passed here. */
const numberOf = (estimate: ReturnType<Estimator>): number => (typeof estimate === 'number' ? estimate : 0);
