/** Holds the schemas of placement: the parts of policies and bindings that select the target clusters. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type Facets, int64, integer, item, labelsMap, list, oneOf, struct, text, texts } from './schema.js';

const atomic: Facets = { 'x-kubernetes-list-type': 'atomic' };

const expression = (keys: string, operators: string): Schema =>
  item({
    'key!': text(keys),
    'operator!': text(operators),
    values: texts('The values to compare with. Must be empty for Exists and DoesNotExist.', atomic),
  });

/** Returns the schema of a label selector. */
export const labelSelector = (description: string): Schema =>
  struct(
    description,
    {
      matchLabels: labelsMap('Labels that must be there with exactly these values.'),
      matchExpressions: list(
        'Conditions on labels; all of them must hold.',
        expression('The key of the label.', 'In, NotIn, Exists or DoesNotExist.'),
        atomic,
      ),
    },
    { 'x-kubernetes-map-type': 'atomic', typeName: 'v1.LabelSelector' },
  );

export const fieldSelector: Schema = struct(
  'Selects clusters by what their spec says of where they are.',
  {
    matchExpressions: list(
      'Conditions on fields of the cluster; all of them must hold.',
      expression('provider, region or zone.', 'In or NotIn.'),
    ),
  },
  { typeName: 'v1alpha1.FieldSelector' },
);

const affinityFields = {
  'labelSelector?': labelSelector('Selects clusters by their labels.'),
  'fieldSelector?': fieldSelector,
  clusterNames: texts('Select these clusters only. Empty: by name all are selected.'),
  exclude: texts('Never select these clusters, whatever the other fields say.'),
};

/** Fields that are left out do not restrict. */
export const clusterAffinity = (description: string): Schema =>
  struct(description, affinityFields, { typeName: 'v1alpha1.ClusterAffinity' });

const affinityName = text('A name for this group of clusters, unique in the policy.', { maxLength: 32, minLength: 1 });

export const overflowTerms: Schema = list(
  'Groups of clusters that take, in order, the replicas for which the group itself has no room.',
  item({ 'affinityName!': affinityName, ...affinityFields }, { typeName: 'v1alpha1.OverflowClusterAffinity' }),
);

export const affinityTerms: Schema = list(
  'Several groups of clusters to choose from: the first one that has room is taken. Not together with clusterAffinity.',
  item(
    { 'affinityName!': affinityName, ...affinityFields, overflowAffinities: overflowTerms },
    { typeName: 'v1alpha1.ClusterAffinityTerm' },
  ),
);

const toleration = item(
  {
    key: text('The key of the taint. Empty: every key, which needs the operator Exists.'),
    operator: text('Exists or Equal (the default).'),
    value: text('The value of the taint; for the operator Equal.'),
    effect: text('The effect that is tolerated: NoSchedule, PreferNoSchedule or NoExecute. Empty: every effect.'),
    'tolerationSeconds?': int64(
      'The seconds for which a NoExecute taint is tolerated. Unset: always; 0 or less: never.',
    ),
  },
  { typeName: 'v1.Toleration' },
);

/** Returns the schema of a list of tolerations. */
export const tolerations = (description: string): Schema => list(description, toleration);

export const spreadConstraints: Schema = list(
  'The constraints on the spread of the selected clusters over regions, zones or providers.',
  item(
    {
      spreadByField: oneOf('The field of clusters that groups them.', ['cluster', 'region', 'zone', 'provider']),
      spreadByLabel: text('The key of a label of clusters that groups them. Not together with spreadByField.'),
      maxGroups: integer('The maximum number of groups to select. 0: no limit.'),
      minGroups: integer('The minimum number of groups to select.'),
    },
    { typeName: 'v1alpha1.SpreadConstraint' },
  ),
);

const weightPreference = struct(
  'The weights of clusters when replicas are divided by weight. Unset: all clusters have the same weight.',
  {
    staticWeightList: list(
      'Fixed weights.',
      item(
        {
          'targetCluster!': clusterAffinity('The clusters that have this weight.'),
          'weight!': int64('The weight of each of these clusters.', { minimum: 1 }),
        },
        { typeName: 'v1alpha1.StaticClusterWeight' },
      ),
    ),
    dynamicWeight: oneOf(
      'Uses the available replicas of clusters as weights. Takes precedence over staticWeightList.',
      ['AvailableReplicas'],
    ),
  },
  { typeName: 'v1alpha1.ClusterPreferences' },
);

const replicaScheduling = struct(
  'The distribution of replicas. Unset: every cluster gets all of them.',
  {
    replicaSchedulingType: oneOf(
      'Duplicated: every cluster gets all replicas. Divided: the clusters share them.',
      ['Duplicated', 'Divided'],
      { default: 'Divided' },
    ),
    replicaDivisionPreference: oneOf(
      'The division of replicas: Aggregated into as few clusters as possible, or Weighted by weightPreference.',
      ['Aggregated', 'Weighted'],
    ),
    'weightPreference?': weightPreference,
  },
  { typeName: 'v1alpha1.ReplicaSchedulingStrategy' },
);

const group = (description: string): Schema =>
  struct(description, {
    'groupByLabelKey!': text('The key of the label whose value on the workload names the group.'),
  });

export const workloadAffinity: Schema = struct(
  'The affinity and anti-affinity between workloads.',
  {
    'affinity?': group('Workloads of a group go to the same clusters.'),
    'antiAffinity?': group('Workloads of a group go to different clusters.'),
  },
  { typeName: 'v1alpha1.WorkloadAffinity' },
);

/** The placement of a policy, and of the binding that results from it. */
export const placement: Schema = struct(
  'The selection of clusters and the division of replicas.',
  {
    'clusterAffinity?': clusterAffinity(
      'The clusters to choose from. Unset: all. Not together with clusterAffinities.',
    ),
    clusterAffinities: affinityTerms,
    clusterTolerations: tolerations('The taints of clusters that the resources tolerate.'),
    spreadConstraints,
    'replicaScheduling?': replicaScheduling,
    'workloadAffinity?': workloadAffinity,
  },
  { typeName: 'v1alpha1.Placement' },
);
