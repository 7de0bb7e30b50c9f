/** What is wrong with a placement (inventory ADM-31). as pkg/util/validation ValidatePlacement */
import type { Fault } from '../../../openapi/interface.js';
import { child, index, invalidValue, notSupported } from '../../../openapi/meta/faults.js';
import { checkLabelKey } from '../../../openapi/meta/names.js';
import { affinityFaults, affinityTermFaults } from './affinity-faults.js';
import { overflowTerms, placement as placementType, spreadConstraints, workloadAffinity } from './crds/placement.js';
import { asGo } from './go-form.js';
import type { Placement, ReplicaScheduling, SpreadConstraint, Toleration } from './types.js';

/** Only where replicas follow what clusters have room for can they overflow. */
function canOverflow(scheduling: ReplicaScheduling | undefined): boolean {
  if (scheduling?.replicaSchedulingType !== 'Divided') return false;
  const { replicaDivisionPreference, weightPreference } = scheduling;
  return (
    replicaDivisionPreference === 'Aggregated' ||
    (replicaDivisionPreference === 'Weighted' && !!weightPreference?.dynamicWeight)
  );
}

function constraintTexts({ spreadByField, spreadByLabel, minGroups = 0, maxGroups = 0 }: SpreadConstraint): string[] {
  const texts = [];
  if (spreadByField && spreadByLabel) texts.push('spreadByLabel should not co-exist with spreadByField');
  if (minGroups < 0) texts.push('minGroups lower than 0 is not allowed');
  if (maxGroups < 0) texts.push('maxGroups lower than 0 is not allowed');
  if (maxGroups > 0 && maxGroups < minGroups) texts.push('maxGroups lower than minGroups is not allowed');
  return texts;
}

function spreadFaults(constraints: readonly SpreadConstraint[], path: string): Fault[] {
  const faults: Fault[] = [];
  const shown = () => asGo(constraints, spreadConstraints);
  /** Field -> how often. */
  const seen = new Map<string, number>();
  for (const [i, constraint] of constraints.entries()) {
    for (const text of constraintTexts(constraint))
      faults.push(invalidValue(index(path, i), asGo(constraint, spreadConstraints.items ?? {}), text));
    const { spreadByField: field } = constraint;
    if (!field) continue;
    const times = (seen.get(field) ?? 0) + 1;
    seen.set(field, times);
    if (times === 2) faults.push(invalidValue(path, shown(), `multiple ${field} spread constraints are not allowed`));
  }
  if (seen.size > 0 && !seen.has('cluster')) {
    const text =
      'the cluster spread constraint must be enabled in one of the constraints in case of SpreadByField is enabled';
    faults.push(invalidValue(path, shown(), text));
  }
  return faults;
}

function workloadAffinityFaults(workload: Placement['workloadAffinity'], path: string): Fault[] {
  if (!workload) return [];
  const { affinity, antiAffinity } = workload;
  const faults: Fault[] = [];
  for (const field of ['affinity', 'antiAffinity'] as const) {
    const key = workload[field]?.groupByLabelKey;
    for (const text of key === undefined ? [] : checkLabelKey(key))
      faults.push(invalidValue(child(path, field, 'groupByLabelKey'), key, text));
  }
  if (affinity && antiAffinity && affinity.groupByLabelKey === antiAffinity.groupByLabelKey) {
    const text = 'affinity and antiAffinity must not use the same groupByLabelKey';
    faults.push(invalidValue(path, asGo(workload, workloadAffinity), text));
  }
  return faults;
}

/** Comparing operators are of nodes only. */
function tolerationFaults(tolerations: readonly Toleration[], path: string): Fault[] {
  return tolerations.flatMap(({ operator }, i) =>
    operator === 'Lt' || operator === 'Gt'
      ? [notSupported(child(index(path, i), 'operator'), operator, ['', 'Exists', 'Equal'])]
      : [],
  );
}

export function placementFaults(placement: Placement, path: string): Fault[] {
  const { clusterAffinity, clusterAffinities } = placement;
  const faults: Fault[] = [];
  if (clusterAffinity && clusterAffinities) {
    const text = 'clusterAffinities cannot co-exist with clusterAffinity';
    faults.push(invalidValue(path, asGo(placement, placementType), text));
  }
  const terms = child(path, 'clusterAffinities');
  for (const [i, { overflowAffinities: overflow }] of (clusterAffinities ?? []).entries()) {
    if (!overflow || canOverflow(placement.replicaScheduling)) continue;
    const text = 'overflowAffinities can only be used together with dynamic weight or aggregated scheduling';
    faults.push(invalidValue(child(index(terms, i), 'overflowAffinities'), asGo(overflow, overflowTerms), text));
  }
  faults.push(
    ...affinityFaults(clusterAffinity, child(path, 'clusterAffinity')),
    ...affinityTermFaults(clusterAffinities ?? [], terms),
    ...spreadFaults(placement.spreadConstraints ?? [], child(path, 'spreadConstraints')),
    ...workloadAffinityFaults(placement.workloadAffinity, child(path, 'workloadAffinity')),
    ...tolerationFaults(placement.clusterTolerations ?? [], child(path, 'clusterTolerations')),
  );
  return faults;
}
