/** Blocks that several kinds share. */
import type { Schema } from '../../../../openapi/schema/interface.js';
import {
  type Facets,
  flag,
  int32,
  int64,
  integer,
  item,
  labelsMap,
  list,
  oneOf,
  struct,
  text,
  texts,
  time,
} from './schema.js';

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
      matchExpressions: list(
        'Conditions on labels; all of them must hold.',
        expression('The key of the label.', 'In, NotIn, Exists or DoesNotExist.'),
        atomic,
      ),
      matchLabels: labelsMap('Labels that must be there with exactly these values.'),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );

const affinityFields = {
  clusterNames: texts('Select these clusters only. Empty: by name all are selected.'),
  exclude: texts('Never select these clusters, whatever the other fields say.'),
  fieldSelector: struct('Selects clusters by what their spec says of where they are.', {
    matchExpressions: list(
      'Conditions on fields of the cluster; all of them must hold.',
      expression('provider, region or zone.', 'In or NotIn.'),
    ),
  }),
  labelSelector: labelSelector('Selects clusters by their labels.'),
};

/** Which clusters; what is left out does not restrict. */
export const clusterAffinity = (description: string): Schema => struct(description, affinityFields);

const affinityName = text('A name for this group of clusters, unique in the policy.', { maxLength: 32, minLength: 1 });

const affinityTerm = item({
  'affinityName!': affinityName,
  ...affinityFields,
  overflowAffinities: list(
    'Groups of clusters that take, in order, the replicas for which the group itself has no room.',
    item({ 'affinityName!': affinityName, ...affinityFields }),
  ),
});

export const clusterNames = (description: string): Schema =>
  struct(description, { clusterNames: texts('The names of the clusters.') });

const toleration = item({
  effect: text('The effect that is tolerated: NoSchedule, PreferNoSchedule or NoExecute. Empty: every effect.'),
  key: text('The key of the taint. Empty: every key, which needs the operator Exists.'),
  operator: text('Exists or Equal (the default).'),
  tolerationSeconds: int64('How long a NoExecute taint is tolerated. Unset: for ever; 0 or less: not at all.'),
  value: text('The value of the taint; for the operator Equal.'),
});

export const tolerations = (description: string): Schema => list(description, toleration);

const group = (description: string): Schema =>
  struct(description, {
    'groupByLabelKey!': text('The key of the label whose value on the workload names the group.'),
  });

/** Of a policy, and of the binding that it leads to. */
export const placement: Schema = struct('Where the resources go.', {
  clusterAffinity: clusterAffinity('The clusters to choose from. Unset: all. Not together with clusterAffinities.'),
  clusterAffinities: list(
    'Several groups of clusters to choose from: the first one that has room is taken. Not together with clusterAffinity.',
    affinityTerm,
  ),
  clusterTolerations: tolerations('Taints of clusters that do not keep the resources away.'),
  replicaScheduling: struct('How replicas are distributed. Unset: every cluster gets all of them.', {
    replicaDivisionPreference: oneOf(
      'How replicas are divided: Aggregated into as few clusters as possible, or Weighted by weightPreference.',
      ['Aggregated', 'Weighted'],
    ),
    replicaSchedulingType: oneOf(
      'Duplicated: every cluster gets all replicas. Divided: the clusters share them.',
      ['Duplicated', 'Divided'],
      { default: 'Divided' },
    ),
    weightPreference: struct(
      'The weights of clusters when replicas are divided by weight. Unset: all weigh the same.',
      {
        dynamicWeight: oneOf('Weigh clusters by what they can take. Goes before staticWeightList.', [
          'AvailableReplicas',
        ]),
        staticWeightList: list(
          'Fixed weights.',
          item({
            'targetCluster!': clusterAffinity('The clusters that have this weight.'),
            'weight!': int64('How much each of them weighs, compared with the others.', { minimum: 1 }),
          }),
        ),
      },
    ),
  }),
  spreadConstraints: list(
    'How the clusters that are chosen spread over regions, zones or providers.',
    item({
      maxGroups: integer('The most groups to choose. 0: no limit.'),
      minGroups: integer('The fewest groups to choose.'),
      spreadByField: oneOf('The field of clusters that groups them.', ['cluster', 'region', 'zone', 'provider']),
      spreadByLabel: text('The key of a label of clusters that groups them. Not together with spreadByField.'),
    }),
  ),
  workloadAffinity: struct('Which workloads belong together in one cluster, and which must not meet.', {
    affinity: group('Workloads of a group go to the same clusters.'),
    antiAffinity: group('Workloads of a group go to different clusters.'),
  }),
});

const statePreservation = struct(
  'What is carried over from the status of the workload that fails to the one that takes its place.',
  {
    'rules!': list(
      'What is carried over.',
      item({
        'aliasLabelName!': text('The label that carries the value.'),
        'jsonPath!': text('Where the value stands, from .status on: {.applicationState.savepoint}.'),
      }),
    ),
  },
);

export const failover: Schema = struct('When and how resources leave a cluster that fails them. Unset: they stay.', {
  application: struct('When the application does not become healthy.', {
    'decisionConditions!': struct('What makes an application one that has failed.', {
      tolerationSeconds: int32('How long it may be unhealthy.', { default: 300 }),
    }),
    gracePeriodSeconds: int32('How long the old application stays while the new one starts; for Gracefully.'),
    purgeMode: oneOf(
      'When the old application is removed: at once, when the new one is healthy, or by hand.',
      ['Directly', 'Gracefully', 'Never'],
      { default: 'Gracefully' },
    ),
    statePreservation,
  }),
  cluster: struct('When the cluster fails.', {
    purgeMode: oneOf(
      'When the resources are removed from it: at once, or when they are healthy elsewhere.',
      ['Directly', 'Gracefully'],
      { default: 'Gracefully' },
    ),
    statePreservation,
  }),
});

export const suspensionFields = {
  dispatching: flag('Nothing is sent to any cluster. Not together with dispatchingOnClusters.'),
  dispatchingOnClusters: clusterNames('Nothing is sent to these clusters.'),
};

export const conflictResolution: Schema = oneOf(
  'What happens when a cluster has the resource already: Abort leaves it alone, Overwrite takes it over.',
  ['Abort', 'Overwrite'],
  { default: 'Abort' },
);

export const preserveResourcesOnDeletion: Schema = flag(
  'The resources stay in the clusters when they are deleted here.',
);

export const qualifiedName: Facets = {
  maxLength: 316,
  pattern:
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
};

export const reasonPattern = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

const condition = item({
  'lastTransitionTime!': time('When the status last changed.'),
  'message!': text('Details for people.', { maxLength: 32768 }),
  observedGeneration: int64('The generation of the object that was looked at.', { minimum: 0 }),
  'reason!': text('Why the status is what it is, as one word in CamelCase.', {
    maxLength: 1024,
    minLength: 1,
    pattern: reasonPattern,
  }),
  'status!': oneOf('True, False or Unknown.', ['True', 'False', 'Unknown']),
  'type!': text('What the condition says something about.', qualifiedName),
});

export const conditions = (description: string, facets?: Facets): Schema => list(description, condition, facets);

export const byType: Facets = { 'x-kubernetes-list-map-keys': ['type'], 'x-kubernetes-list-type': 'map' };

export const health = (description: string): Schema => oneOf(description, ['Healthy', 'Unhealthy', 'Unknown']);

export const scaleTarget: Schema = struct('What is scaled.', {
  apiVersion: text('Its group and version.'),
  'kind!': text('Its kind.'),
  'name!': text('Its name.'),
});

export const nameOnly = (description: string): Schema =>
  list(description, item({ 'name!': text('The name of a cluster.') }));
