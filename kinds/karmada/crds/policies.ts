/** Defines policy.karmada.io FederatedResourceQuota and ClusterTaintPolicy. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type CustomResource, kindSchema } from './custom-resource.js';
import { item, list, quantities, struct, text, texts } from './schema.js';
import { clusterAffinity } from './placement.js';

const clusterName = text('The name of the cluster.');

export const federatedResourceQuota: CustomResource = {
  group: 'policy.karmada.io',
  kind: 'FederatedResourceQuota',
  plural: 'federatedresourcequotas',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Limits the resource usage of a namespace in all clusters together.', {
        'spec!': struct('The limits.', {
          'overall!': quantities('The limits for all clusters together.'),
          staticAssignments: list(
            'The limits of single clusters, each of which becomes a ResourceQuota in its cluster.',
            item({ 'clusterName!': clusterName, 'hard!': quantities('The limits in the cluster.') }),
          ),
        }),
        'status=': struct('The limits and the observed usage.', {
          aggregatedStatus: list(
            'The observed usage in each cluster.',
            item({
              'clusterName!': clusterName,
              hard: quantities('The limits in the cluster.'),
              used: quantities('The observed usage in the cluster.'),
            }),
          ),
          overall: quantities('The enforced limits.'),
          overallUsed: quantities('The observed usage in all clusters together.'),
        }),
      }),
      columns: [
        { name: 'OVERALL', type: 'string', jsonPath: '.status.overall' },
        { name: 'OVERALL_USED', type: 'string', jsonPath: '.status.overallUsed' },
      ],
      subresources: 'status',
    },
  ],
};

const conditionMatches = (description: string): Schema =>
  list(
    description,
    item({
      'conditionType!': text('The type of the condition of the cluster.'),
      'operator!': text('In or NotIn.'),
      'statusValues!': texts('Statuses of the condition: True, False, Unknown.'),
    }),
  );

export const clusterTaintPolicy: CustomResource = {
  group: 'policy.karmada.io',
  kind: 'ClusterTaintPolicy',
  plural: 'clustertaintpolicies',
  scope: 'Cluster',
  uncategorized: true,
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Taints clusters by their conditions.', {
        'spec!': struct('Which clusters are tainted when.', {
          'targetClusters?': clusterAffinity('The clusters that the policy looks after. Unset: all.'),
          addOnConditions: conditionMatches('The taints are put on when all of these hold.'),
          removeOnConditions: conditionMatches('The taints are taken off when all of these hold.'),
          'taints!': list(
            'The taints.',
            item({
              'key!': text('The key of the taint.'),
              'effect!': text('NoSchedule or NoExecute.'),
              value: text('The value of the taint.'),
            }),
            { minItems: 1 },
          ),
        }),
      }),
    },
  ],
};
