/** Defines work.karmada.io ResourceBinding and ClusterResourceBinding, v1alpha1 and v1alpha2. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { ageColumn, type CustomResource, type CustomVersion, kindSchema } from './custom-resource.js';
import { nativeBlock } from './native-block.js';
import { placement, tolerations } from './placement.js';
import {
  anyObject,
  type Fields,
  flag,
  int32,
  int64,
  item,
  labelsMap,
  list,
  oneOf,
  quantities,
  struct,
  text,
  texts,
  time,
} from './schema.js';
import {
  conditions,
  conflictResolution,
  failover,
  health,
  preserveResourcesOnDeletion,
  reasonPattern,
  suspensionFields,
} from './shared.js';

const bindingConditions = conditions('Scheduled: it has clusters. FullyApplied: the resource stands in all of them.');

const aggregatedStatus = (more: Fields): Schema =>
  list(
    'The state of the resource in each cluster.',
    item({
      'clusterName!': text('The cluster.'),
      'status?': anyObject('Its status there.'),
      applied: flag('It stands there.'),
      appliedMessage: text('Why it does not.'),
      ...more,
    }),
  );

const resourceFields = {
  'apiVersion!': text('Its group and version.'),
  'kind!': text('Its kind.'),
  namespace: text('Its namespace.'),
  'name!': text('Its name.'),
  resourceVersion: text('Its resourceVersion when it was last looked at.'),
};

const v1alpha1 = (what: string): CustomVersion => ({
  name: 'v1alpha1',
  storage: false,
  schema: kindSchema(what, {
    'spec!': struct('Which resource goes to which clusters.', {
      clusters: list(
        'The clusters.',
        item({ 'name!': text('The name of the cluster.'), replicas: int32('How many replicas it gets.') }),
      ),
      'resource!': struct('The resource.', {
        ...resourceFields,
        replicas: int32('How many replicas it wants.'),
        resourcePerReplicas: quantities('What each replica needs.'),
      }),
    }),
    'status=': struct('What became of it.', {
      conditions: bindingConditions,
      aggregatedStatus: aggregatedStatus({}),
    }),
  }),
  subresources: 'status',
});

const nodeClaim = struct(
  'Which nodes a replica can run on.',
  {
    'hardNodeAffinity?': {
      ...nativeBlock('io.k8s.api.core.v1.NodeSelector'),
      description: 'What the node affinity of the pods requires.',
    },
    nodeSelector: labelsMap('Labels that the nodes must have.'),
    tolerations: tolerations('Taints of nodes that do not keep the pods away.'),
  },
  { typeName: 'v1alpha2.NodeClaim' },
);

const requirementFields = {
  'nodeClaim?': nodeClaim,
  resourceRequest: quantities('What each replica needs.'),
  priorityClassName: text('The priority class of the pods.'),
};

const targetClusters = (description: string): Schema =>
  list(
    description,
    item({
      'name!': text('The name of the cluster.'),
      replicas: int32('How many replicas it gets.'),
      components: list(
        'How the replicas of a workload of several parts are split up.',
        item({ 'name!': text('The part.'), 'replicas!': int32('Its replicas in the cluster.') }),
      ),
    }),
  );

const evictionTask = item(
  {
    'fromCluster!': text('The cluster that is left.'),
    purgeMode: oneOf('How the resource is removed there.', ['Directly', 'Gracefully', 'Never']),
    'replicas?': int32('How many replicas it had there.'),
    'reason!': text('Why, as one word in CamelCase.', { maxLength: 32, minLength: 1, pattern: reasonPattern }),
    message: text('Details for people.', { maxLength: 1024 }),
    'producer!': text('Who evicts.'),
    'gracePeriodSeconds?': int32('How long the resource stays there, at the most. Not together with suppressDeletion.'),
    'suppressDeletion?': flag(
      'True: the resource stays there until this becomes false. Unset: the grace period counts.',
    ),
    preservedLabelState: labelsMap('Labels that carry state over to the new place.'),
    'creationTimestamp?': time('When the eviction began. Set by the controller.'),
    clustersBeforeFailover: texts('The clusters that the workload had before it was moved.'),
  },
  { typeName: 'v1alpha2.GracefulEvictionTask' },
);

const spec = struct(
  'Which resource goes where, and how.',
  {
    'resource!': struct('The resource.', { ...resourceFields, uid: text('Its uid.') }),
    propagateDeps: flag('What the resource refers to goes along.'),
    'replicaRequirements?': struct(
      'What each replica needs.',
      {
        ...requirementFields,
        namespace: text('The namespace of the resource.'),
      },
      { typeName: 'v1alpha2.ReplicaRequirements' },
    ),
    replicas: int32('How many replicas the resource wants.'),
    components: list(
      'The parts of a workload that has pods of several kinds.',
      item(
        {
          'name!': text('The name of the part.', { maxLength: 32 }),
          'replicas!': int32('How many replicas it wants.'),
          'replicaRequirements?': struct('What each of its replicas needs.', requirementFields),
        },
        { typeName: 'v1alpha2.Component' },
      ),
    ),
    clusters: targetClusters('The clusters, as the scheduler chose them.'),
    'placement?': placement,
    gracefulEvictionTasks: list('Clusters that are being left.', evictionTask),
    requiredBy: list(
      'The bindings of resources that refer to this one, and the clusters that they take it to.',
      item({
        namespace: text('Its namespace.'),
        'name!': text('The name of the binding.'),
        clusters: targetClusters('Their clusters.'),
      }),
    ),
    schedulerName: text('The scheduler that places the resource.'),
    'failover?': failover,
    conflictResolution,
    'rescheduleTriggeredAt?': time('The time of the last request to schedule the resource again.'),
    'suspension?': struct(
      'Holds back what would be propagated.',
      {
        ...suspensionFields,
        'scheduling?': flag('The binding is not scheduled for now.'),
      },
      { typeName: 'v1alpha2.Suspension' },
    ),
    'preserveResourcesOnDeletion?': preserveResourcesOnDeletion,
    'schedulePriority?': struct(
      'How urgent it is.',
      {
        priority: int32('The higher, the sooner.', { default: 0 }),
      },
      { typeName: 'v1alpha2.SchedulePriority' },
    ),
    'workloadAffinityGroups?': struct('The groups the resource is in, as the labels of the resource say.', {
      affinityGroup: text('KEY=VALUE of the group that stays together.'),
      antiAffinityGroup: text('KEY=VALUE of the group that stays apart.'),
    }),
  },
  { typeName: 'v1alpha2.ResourceBindingSpec' },
);

const v1alpha2 = (what: string): CustomVersion => ({
  name: 'v1alpha2',
  schema: kindSchema(what, {
    'spec!': spec,
    'status=': struct('What became of it.', {
      schedulerObservedGeneration: int64('The generation that the scheduler last dealt with.'),
      schedulerObservingAffinityName: text('The group of clusters, of placement.clusterAffinities, that was chosen.'),
      'lastScheduledTime?': time('When it was last scheduled.'),
      conditions: bindingConditions,
      aggregatedStatus: aggregatedStatus({ health: health('Whether it works there.') }),
    }),
  }),
  columns: [
    { name: 'SCHEDULED', type: 'string', jsonPath: '.status.conditions[?(@.type=="Scheduled")].status' },
    { name: 'FULLYAPPLIED', type: 'string', jsonPath: '.status.conditions[?(@.type=="FullyApplied")].status' },
    ageColumn('AGE'),
  ],
  subresources: 'status',
});

const binding = (kind: string, plural: string, shortName: string, scope: CustomResource['scope'], what: string) =>
  ({
    group: 'work.karmada.io',
    ...{ kind, plural, shortName, scope },
    versions: [v1alpha1(what), v1alpha2(what)],
  }) satisfies CustomResource;

export const resourceBinding: CustomResource = binding(
  'ResourceBinding',
  'resourcebindings',
  'rb',
  'Namespaced',
  'Ties a resource with a namespace to the clusters that it goes to.',
);

export const clusterResourceBinding: CustomResource = binding(
  'ClusterResourceBinding',
  'clusterresourcebindings',
  'crb',
  'Cluster',
  'Ties a resource without a namespace to the clusters that it goes to.',
);
