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

const bindingConditions = conditions(
  'Scheduled: the binding has clusters. FullyApplied: the resource is applied in all of them.',
);

const aggregatedStatus = (more: Fields): Schema =>
  list(
    'The state of the resource in each cluster.',
    item({
      'clusterName!': text('The name of the cluster.'),
      'status?': anyObject('The status of the resource in the cluster.'),
      applied: flag('Whether the resource is applied in the cluster.'),
      appliedMessage: text('The error message if the resource is not applied.'),
      ...more,
    }),
  );

const resourceFields = {
  'apiVersion!': text('The group and version of the resource.'),
  'kind!': text('The kind of the resource.'),
  namespace: text('The namespace of the resource.'),
  'name!': text('The name of the resource.'),
  resourceVersion: text('The resourceVersion of the resource when it was last observed.'),
};

const v1alpha1 = (what: string): CustomVersion => ({
  name: 'v1alpha1',
  storage: false,
  schema: kindSchema(what, {
    'spec!': struct('The resource and its target clusters.', {
      clusters: list(
        'The clusters.',
        item({ 'name!': text('The name of the cluster.'), replicas: int32('The number of replicas in the cluster.') }),
      ),
      'resource!': struct('The resource.', {
        ...resourceFields,
        replicas: int32('The desired number of replicas.'),
        resourcePerReplicas: quantities('The resource requests of each replica.'),
      }),
    }),
    'status=': struct('The observed state.', {
      conditions: bindingConditions,
      aggregatedStatus: aggregatedStatus({}),
    }),
  }),
  subresources: 'status',
});

const nodeClaim = struct(
  'The constraints on the nodes that a replica can run on.',
  {
    'hardNodeAffinity?': {
      ...nativeBlock('io.k8s.api.core.v1.NodeSelector'),
      description: 'The required node affinity of the pods.',
    },
    nodeSelector: labelsMap('Labels that the nodes must have.'),
    tolerations: tolerations('The taints of nodes that the pods tolerate.'),
  },
  { typeName: 'v1alpha2.NodeClaim' },
);

const requirementFields = {
  'nodeClaim?': nodeClaim,
  resourceRequest: quantities('The resource requests of each replica.'),
  priorityClassName: text('The priority class of the pods.'),
};

const targetClusters = (description: string): Schema =>
  list(
    description,
    item({
      'name!': text('The name of the cluster.'),
      replicas: int32('The number of replicas in the cluster.'),
      components: list(
        'The replicas of each component of a workload with several components.',
        item({
          'name!': text('The name of the component.'),
          'replicas!': int32('The number of replicas of the component in the cluster.'),
        }),
      ),
    }),
  );

const evictionTask = item(
  {
    'fromCluster!': text('The cluster from which the resource is evicted.'),
    purgeMode: oneOf('The way in which the resource is removed from the cluster.', ['Directly', 'Gracefully', 'Never']),
    'replicas?': int32('The number of replicas in the cluster before the eviction.'),
    'reason!': text('The reason, as one word in CamelCase.', { maxLength: 32, minLength: 1, pattern: reasonPattern }),
    message: text('A message with details.', { maxLength: 1024 }),
    'producer!': text('The controller that evicts the resource.'),
    'gracePeriodSeconds?': int32(
      'The maximum number of seconds for which the resource stays in the cluster. Not together with suppressDeletion.',
    ),
    'suppressDeletion?': flag(
      'True: the resource stays in the cluster until this becomes false. Unset: the grace period applies.',
    ),
    preservedLabelState: labelsMap('Labels with preserved state for the new clusters.'),
    'creationTimestamp?': time('The time at which the eviction began. Set by the controller.'),
    clustersBeforeFailover: texts('The clusters of the workload before the failover.'),
  },
  { typeName: 'v1alpha2.GracefulEvictionTask' },
);

const spec = struct(
  'The resource, its target clusters and the way of its propagation.',
  {
    'resource!': struct('The resource.', { ...resourceFields, uid: text('The uid of the resource.') }),
    propagateDeps: flag('Whether the dependencies of the resource are propagated with it.'),
    'replicaRequirements?': struct(
      'The resource requests of each replica.',
      {
        ...requirementFields,
        namespace: text('The namespace of the resource.'),
      },
      { typeName: 'v1alpha2.ReplicaRequirements' },
    ),
    replicas: int32('The desired number of replicas.'),
    components: list(
      'The components of a workload with several kinds of pods.',
      item(
        {
          'name!': text('The name of the component.', { maxLength: 32 }),
          'replicas!': int32('The desired number of replicas.'),
          'replicaRequirements?': struct('The requirements of each replica of the component.', requirementFields),
        },
        { typeName: 'v1alpha2.Component' },
      ),
    ),
    clusters: targetClusters('The clusters that the scheduler selected.'),
    'placement?': placement,
    gracefulEvictionTasks: list('The running evictions from clusters.', evictionTask),
    requiredBy: list(
      'The bindings of resources that depend on this one, and their clusters.',
      item({
        namespace: text('The namespace of the resource.'),
        'name!': text('The name of the binding.'),
        clusters: targetClusters('The clusters of the binding.'),
      }),
    ),
    schedulerName: text('The scheduler that places the resource.'),
    'failover?': failover,
    conflictResolution,
    'rescheduleTriggeredAt?': time('The time of the last request to schedule the resource again.'),
    'suspension?': struct(
      'Suspends the propagation.',
      {
        ...suspensionFields,
        'scheduling?': flag('Suspends the scheduling of the binding.'),
      },
      { typeName: 'v1alpha2.Suspension' },
    ),
    'preserveResourcesOnDeletion?': preserveResourcesOnDeletion,
    'schedulePriority?': struct(
      'The priority of the scheduling.',
      {
        priority: int32('The priority: higher values are scheduled first.', { default: 0 }),
      },
      { typeName: 'v1alpha2.SchedulePriority' },
    ),
    'workloadAffinityGroups?': struct('The affinity groups of the resource, from its labels.', {
      affinityGroup: text('KEY=VALUE of the group whose workloads go to the same clusters.'),
      antiAffinityGroup: text('KEY=VALUE of the group whose workloads go to different clusters.'),
    }),
  },
  { typeName: 'v1alpha2.ResourceBindingSpec' },
);

const v1alpha2 = (what: string): CustomVersion => ({
  name: 'v1alpha2',
  schema: kindSchema(what, {
    'spec!': spec,
    'status=': struct('The observed state.', {
      schedulerObservedGeneration: int64('The generation that the scheduler processed last.'),
      schedulerObservingAffinityName: text('The name of the selected term of placement.clusterAffinities.'),
      'lastScheduledTime?': time('The time of the last scheduling.'),
      conditions: bindingConditions,
      aggregatedStatus: aggregatedStatus({ health: health('The health of the resource in the cluster.') }),
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
