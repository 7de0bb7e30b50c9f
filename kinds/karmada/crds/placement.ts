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
    'tolerationSeconds?': int64('How long a NoExecute taint is tolerated. Unset: for ever; 0 or less: not at all.'),
  },
  { typeName: 'v1.Toleration' },
);

export const tolerations = (description: string): Schema => list(description, toleration);

export const spreadConstraints: Schema = list(
  'How the clusters that are chosen spread over regions, zones or providers.',
  item(
    {
      spreadByField: oneOf('The field of clusters that groups them.', ['cluster', 'region', 'zone', 'provider']),
      spreadByLabel: text('The key of a label of clusters that groups them. Not together with spreadByField.'),
      maxGroups: integer('The most groups to choose. 0: no limit.'),
      minGroups: integer('The fewest groups to choose.'),
    },
    { typeName: 'v1alpha1.SpreadConstraint' },
  ),
);

const weightPreference = struct(
  'The weights of clusters when replicas are divided by weight. Unset: all weigh the same.',
  {
    staticWeightList: list(
      'Fixed weights.',
      item(
        {
          'targetCluster!': clusterAffinity('The clusters that have this weight.'),
          'weight!': int64('How much each of them weighs, compared with the others.', { minimum: 1 }),
        },
        { typeName: 'v1alpha1.StaticClusterWeight' },
      ),
    ),
    dynamicWeight: oneOf('Weigh clusters by what they can take. Goes before staticWeightList.', ['AvailableReplicas']),
  },
  { typeName: 'v1alpha1.ClusterPreferences' },
);

const replicaScheduling = struct(
  'How replicas are distributed. Unset: every cluster gets all of them.',
  {
    replicaSchedulingType: oneOf(
      'Duplicated: every cluster gets all replicas. Divided: the clusters share them.',
      ['Duplicated', 'Divided'],
      { default: 'Divided' },
    ),
    replicaDivisionPreference: oneOf(
      'How replicas are divided: Aggregated into as few clusters as possible, or Weighted by weightPreference.',
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
  'Which workloads belong together in one cluster, and which must not meet.',
  {
    'affinity?': group('Workloads of a group go to the same clusters.'),
    'antiAffinity?': group('Workloads of a group go to different clusters.'),
  },
  { typeName: 'v1alpha1.WorkloadAffinity' },
);

/** The placement of a policy, and of the binding that results from it. */
export const placement: Schema = struct(
  'Where the resources go.',
  {
    'clusterAffinity?': clusterAffinity(
      'The clusters to choose from. Unset: all. Not together with clusterAffinities.',
    ),
    clusterAffinities: affinityTerms,
    clusterTolerations: tolerations('Taints of clusters that do not keep the resources away.'),
    spreadConstraints,
    'replicaScheduling?': replicaScheduling,
    'workloadAffinity?': workloadAffinity,
  },
  { typeName: 'v1alpha1.Placement' },
);
