/** Defines apps.karmada.io WorkloadRebalancer and remedy.karmada.io Remedy. */
import { type CustomResource, kindSchema } from './custom-resource.js';
import { int32, int64, item, list, oneOf, struct, text, texts, time } from './schema.js';
import { clusterNames } from './shared.js';

const workloadFields = {
  'apiVersion!': text('The group and version of the resource.'),
  'kind!': text('The kind of the resource.'),
  'name!': text('The name of the resource.'),
  namespace: text('The namespace of the resource; empty for cluster-scoped resources.'),
};

export const workloadRebalancer: CustomResource = {
  group: 'apps.karmada.io',
  kind: 'WorkloadRebalancer',
  plural: 'workloadrebalancers',
  scope: 'Cluster',
  uncategorized: true,
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Reschedules workloads once.', {
        'spec!': struct('The workloads.', {
          ttlSecondsAfterFinished: int32('The seconds after which the finished object is deleted. Unset: never.'),
          'workloads!': list('The workloads.', item(workloadFields), { minItems: 1 }),
        }),
        'status=': struct('The observed state.', {
          finishTime: time('The time at which all workloads were processed.'),
          observedGeneration: int64('The generation that was processed last.'),
          observedWorkloads: list(
            'The result for each workload.',
            item({
              reason: text('The reason of a failure.'),
              result: text('Successful or Failed.'),
              'workload!': struct('The workload.', workloadFields),
            }),
          ),
        }),
      }),
      subresources: 'status',
    },
  ],
};

export const remedy: CustomResource = {
  group: 'remedy.karmada.io',
  kind: 'Remedy',
  plural: 'remedies',
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Defines the actions for conditions of clusters.', {
        'spec!': struct('The actions, their clusters and conditions.', {
          actions: texts('The actions: TrafficControl.'),
          clusterAffinity: clusterNames('The clusters. Unset: all.'),
          decisionMatches: list(
            'The conditions of the actions, of which one must match. Empty: the actions always apply.',
            item({
              clusterConditionMatch: struct('A condition of the cluster.', {
                'conditionStatus!': text('True, False or Unknown.'),
                'conditionType!': text('The type of the condition: ServiceDomainNameResolutionReady.'),
                'operator!': oneOf('The comparison with the status of the condition.', ['Equal', 'NotEqual']),
              }),
            }),
          ),
        }),
      }),
    },
  ],
};
