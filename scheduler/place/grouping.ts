import type { Cluster, Placement, SpreadConstraint } from '../../api/karmada/types.js';

/** A spread constraint that groups clusters: by region, zone, provider, or the value of a label. */
export interface Grouping {
  readonly constraint: SpreadConstraint;
  /** `region`, or the key of a label. */
  readonly name: string;
  /** Returns the group of a cluster; undefined if it is in none. A cluster in several zones is a group with those that are in the same ones. */
  readonly groupNameOf: (cluster: Cluster) => string | undefined;
}

const byField: Readonly<Record<string, (cluster: Cluster) => string | undefined>> = {
  region: ({ spec }) => spec.region || undefined,
  zone: ({ spec }) => (spec.zones?.length ? [...spec.zones].sort().join(',') : undefined),
  provider: ({ spec }) => spec.provider || undefined,
};

const none: readonly Grouping[] = [];

/** Returns the constraint that counts of those for a field. */
export const constraintOf = ({ spreadConstraints = [] }: Placement, field: string): SpreadConstraint | undefined =>
  spreadConstraints.findLast(constraint => constraint.spreadByField === field);

/**
 * Returns the groupings whose groups are counted. differs: Karmada reads labels never, and zones and providers only to leave out clusters without
 * them. The latter remains so where such a constraint is the only one besides that for clusters.
 */
export function groupingsOf({ spreadConstraints = [] }: Placement): readonly Grouping[] {
  // hot: most placements have no grouping.
  if (spreadConstraints.every(({ spreadByField }) => spreadByField === 'cluster')) return none;
  const groupings = new Map<string, Grouping>();
  for (const constraint of spreadConstraints) {
    const { spreadByField: field, spreadByLabel: label } = constraint;
    if (label)
      groupings.set(`label ${label}`, {
        constraint,
        name: label,
        groupNameOf: ({ metadata }) => metadata.labels?.[label],
      });
    else if (field && field !== 'cluster')
      groupings.set(field, { constraint, name: field, groupNameOf: byField[field] ?? (() => undefined) });
  }
  const all = [...groupings.values()];
  const [only] = all;
  const isFilter = all.length === 1 && (only?.name === 'zone' || only?.name === 'provider');
  return isFilter && only.constraint.spreadByField ? [] : all;
}
