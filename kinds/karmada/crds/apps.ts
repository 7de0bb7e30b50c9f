/** Defines apps.karmada.io WorkloadRebalancer and remedy.karmada.io Remedy. */
import { type CustomResource, kindSchema } from './custom-resource.js';
import { int32, int64, item, list, oneOf, struct, text, texts, time } from './schema.js';
import { clusterNames } from './shared.js';

const workloadFields = {
  'apiVersion!': text('Its group and version.'),
  'kind!': text('Its kind.'),
  'name!': text('Its name.'),
  namespace: text('Its namespace; empty for resources that have none.'),
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
      schema: kindSchema('Has workloads scheduled anew, once.', {
        'spec!': struct('The workloads.', {
          ttlSecondsAfterFinished: int32('How long this object is kept when all is done. Unset: for ever.'),
          'workloads!': list('The workloads.', item(workloadFields), { minItems: 1 }),
        }),
        'status=': struct('What became of them.', {
          finishTime: time('When all was done.'),
          observedGeneration: int64('The generation that was last dealt with.'),
          observedWorkloads: list(
            'What became of each.',
            item({
              reason: text('Why it failed.'),
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
      schema: kindSchema('Says what is to be done when something is wrong with a cluster.', {
        'spec!': struct('What is done when, where.', {
          actions: texts('What is done: TrafficControl.'),
          clusterAffinity: clusterNames('The clusters. Unset: all.'),
          decisionMatches: list(
            'When it is done: when any of these matches. Empty: always.',
            item({
              clusterConditionMatch: struct('A condition of the cluster.', {
                'conditionStatus!': text('True, False or Unknown.'),
                'conditionType!': text('The type of the condition: ServiceDomainNameResolutionReady.'),
                'operator!': oneOf('How its status is compared.', ['Equal', 'NotEqual']),
              }),
            }),
          ),
        }),
      }),
    },
  ],
};
