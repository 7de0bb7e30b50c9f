/** Validates placements. as pkg/util/validation ValidatePlacement */
import { checkLabelKey } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import { clusterAffinities, clusterAffinity } from './affinity-rules.js';
import * as types from '../crds/placement.js';
import { asGo } from './go-form.js';
import type { Placement, ReplicaScheduling, SpreadConstraint, Toleration } from '../../../api/karmada/types.js';

/** Replicas can overflow only if they are divided by the available capacity of clusters. */
function canOverflow(scheduling: ReplicaScheduling | undefined): boolean {
  if (scheduling?.replicaSchedulingType !== 'Divided') return false;
  const { replicaDivisionPreference, weightPreference } = scheduling;
  return (
    replicaDivisionPreference === 'Aggregated' ||
    (replicaDivisionPreference === 'Weighted' && !!weightPreference?.dynamicWeight)
  );
}

function constraint(field: Field<SpreadConstraint>): void {
  const { spreadByField, spreadByLabel, minGroups = 0, maxGroups = 0 } = field.value ?? {};
  const wrong = (text: string): void => field.invalid(text, asGo(field.value, types.spreadConstraints.items ?? {}));
  if (spreadByField && spreadByLabel) wrong('spreadByLabel should not co-exist with spreadByField');
  if (minGroups < 0) wrong('minGroups lower than 0 is not allowed');
  if (maxGroups < 0) wrong('maxGroups lower than 0 is not allowed');
  if (maxGroups > 0 && maxGroups < minGroups) wrong('maxGroups lower than minGroups is not allowed');
}

const noClusters =
  'the cluster spread constraint must be enabled in one of the constraints in case of SpreadByField is enabled';

function spreadConstraints(list: Field<SpreadConstraint[]>): void {
  const wrong = (text: string): void => list.invalid(text, asGo(list.value, types.spreadConstraints));
  /** Field -> count. */
  const seen = new Map<string, number>();
  for (const each of list.items()) {
    constraint(each);
    const by = each.value?.spreadByField;
    if (!by) continue;
    const times = (seen.get(by) ?? 0) + 1;
    seen.set(by, times);
    if (times === 2) wrong(`multiple ${by} spread constraints are not allowed`);
  }
  if (seen.size > 0 && !seen.has('cluster')) wrong(noClusters);
}

function workloadAffinity(field: Field<NonNullable<Placement['workloadAffinity']>>): void {
  const keys = [field.at('affinity'), field.at('antiAffinity')].map(term => term.at('groupByLabelKey'));
  for (const key of keys) if (key.isSet) key.check(checkLabelKey);
  const [together, apart] = keys.map(key => key.value);
  if (together === undefined || together !== apart) return;
  const text = 'affinity and antiAffinity must not use the same groupByLabelKey';
  field.invalid(text, asGo(field.value, types.workloadAffinity));
}

/** Numeric operators are valid only for nodes. */
function tolerations(list: Field<Toleration[]>): void {
  for (const each of list.items()) {
    const operator = each.at('operator');
    if (operator.value === 'Lt' || operator.value === 'Gt') operator.notSupported(['', 'Exists', 'Equal']);
  }
}

/** Checks what the parts of a placement exclude of each other. as pkg/util/validation ValidatePlacement */
export function placement(field: Field<Placement>): void {
  const affinity = field.at('clusterAffinity');
  const terms = field.at('clusterAffinities');
  if (affinity.isSet && terms.isSet)
    field.invalid('clusterAffinities cannot co-exist with clusterAffinity', asGo(field.value, types.placement));
  for (const term of terms.items()) {
    const overflow = term.at('overflowAffinities');
    if (!overflow.isSet || canOverflow(field.value?.replicaScheduling)) continue;
    const text = 'overflowAffinities can only be used together with dynamic weight or aggregated scheduling';
    overflow.invalid(text, asGo(overflow.value, types.overflowTerms));
  }
  clusterAffinity(affinity);
  clusterAffinities(terms);
  spreadConstraints(field.at('spreadConstraints'));
  workloadAffinity(field.at('workloadAffinity'));
  tolerations(field.at('clusterTolerations'));
}
