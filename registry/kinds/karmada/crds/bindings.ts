/** work.karmada.io ResourceBinding and ClusterResourceBinding, v1alpha1 and v1alpha2 (inventory API-041, API-042). */
import type { Schema } from '../../../../openapi/schema/interface.js';
import { ageColumn, type CustomResource, type CustomVersion, kindSchema } from './custom-resource.js';
import { nativeBlock } from './native-block.js';
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
  placement,
  preserveResourcesOnDeletion,
  reasonPattern,
  suspensionFields,
  tolerations,
} from './shared.js';

const bindingConditions = conditions('Scheduled: it has clusters. FullyApplied: the resource stands in all of them.');

const aggregatedStatus = (more: Fields): Schema =>
  list(
    'The state of the resource in each cluster.',
    item({
      applied: flag('It stands there.'),
      appliedMessage: text('Why it does not.'),
      'clusterName!': text('The cluster.'),
      ...more,
      status: anyObject('Its status there.'),
    }),
  );

const resourceFields = {
  'apiVersion!': text('Its group and version.'),
  'kind!': text('Its kind.'),
  'name!': text('Its name.'),
  namespace: text('Its namespace.'),
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
    status: struct('What became of it.', {
      aggregatedStatus: aggregatedStatus({}),
      conditions: bindingConditions,
    }),
  }),
  subresources: 'status',
});

const nodeClaim = struct('Which nodes a replica can run on.', {
  hardNodeAffinity: {
    ...nativeBlock('io.k8s.api.core.v1.NodeSelector'),
    description: 'What the node affinity of the pods requires.',
  },
  nodeSelector: labelsMap('Labels that the nodes must have.'),
  tolerations: tolerations('Taints of nodes that do not keep the pods away.'),
});

const requirementFields = {
  nodeClaim,
  priorityClassName: text('The priority class of the pods.'),
  resourceRequest: quantities('What each replica needs.'),
};

const targetClusters = (description: string): Schema =>
  list(
    description,
    item({
      components: list(
        'How the replicas of a workload of several parts are split up.',
        item({ 'name!': text('The part.'), 'replicas!': int32('Its replicas in the cluster.') }),
      ),
      'name!': text('The name of the cluster.'),
      replicas: int32('How many replicas it gets.'),
    }),
  );

const evictionTask = item({
  clustersBeforeFailover: texts('The clusters that the workload had before it was moved.'),
  creationTimestamp: time('When the eviction began. Set by the controller.'),
  'fromCluster!': text('The cluster that is left.'),
  gracePeriodSeconds: int32('How long the resource stays there, at the most. Not together with suppressDeletion.'),
  message: text('Details for people.', { maxLength: 1024 }),
  preservedLabelState: labelsMap('Labels that carry state over to the new place.'),
  'producer!': text('Who evicts.'),
  purgeMode: oneOf('How the resource is removed there.', ['Directly', 'Gracefully', 'Never']),
  'reason!': text('Why, as one word in CamelCase.', { maxLength: 32, minLength: 1, pattern: reasonPattern }),
  replicas: int32('How many replicas it had there.'),
  suppressDeletion: flag('True: the resource stays there until this becomes false. Unset: the grace period counts.'),
});

const spec = struct('Which resource goes where, and how.', {
  clusters: targetClusters('The clusters, as the scheduler chose them.'),
  components: list(
    'The parts of a workload that has pods of several kinds.',
    item({
      'name!': text('The name of the part.', { maxLength: 32 }),
      replicaRequirements: struct('What each of its replicas needs.', requirementFields),
      'replicas!': int32('How many replicas it wants.'),
    }),
  ),
  conflictResolution,
  failover,
  gracefulEvictionTasks: list('Clusters that are being left.', evictionTask),
  placement,
  preserveResourcesOnDeletion,
  propagateDeps: flag('What the resource refers to goes along.'),
  replicaRequirements: struct('What each replica needs.', {
    namespace: text('The namespace of the resource.'),
    ...requirementFields,
  }),
  replicas: int32('How many replicas the resource wants.'),
  requiredBy: list(
    'The bindings of resources that refer to this one, and the clusters that they take it to.',
    item({
      clusters: targetClusters('Their clusters.'),
      'name!': text('The name of the binding.'),
      namespace: text('Its namespace.'),
    }),
  ),
  rescheduleTriggeredAt: time('When somebody last asked for the resource to be placed anew.'),
  'resource!': struct('The resource.', { ...resourceFields, uid: text('Its uid.') }),
  schedulePriority: struct('How urgent it is.', {
    priority: int32('The higher, the sooner.', { default: 0 }),
  }),
  schedulerName: text('The scheduler that places the resource.'),
  suspension: struct('Holds back what would be propagated.', {
    ...suspensionFields,
    scheduling: flag('The binding is not scheduled for now.'),
  }),
  workloadAffinityGroups: struct('The groups the resource is in, as the labels of the resource say.', {
    affinityGroup: text('KEY=VALUE of the group that stays together.'),
    antiAffinityGroup: text('KEY=VALUE of the group that stays apart.'),
  }),
});

const v1alpha2 = (what: string): CustomVersion => ({
  name: 'v1alpha2',
  schema: kindSchema(what, {
    'spec!': spec,
    status: struct('What became of it.', {
      aggregatedStatus: aggregatedStatus({ health: health('Whether it works there.') }),
      conditions: bindingConditions,
      lastScheduledTime: time('When it was last scheduled.'),
      schedulerObservedGeneration: int64('The generation that the scheduler last dealt with.'),
      schedulerObservingAffinityName: text('The group of clusters, of placement.clusterAffinities, that was chosen.'),
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
