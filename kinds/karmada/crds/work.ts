/** Defines work.karmada.io Work. */
import { ageColumn, type CustomResource, kindSchema } from './custom-resource.js';
import { anyObject, flag, integer, item, list, struct, text } from './schema.js';
import { conditions, health, preserveResourcesOnDeletion } from './shared.js';

const identifier = struct('The manifest.', {
  'ordinal!': integer('The index of the manifest in spec.workload.manifests, from 0 on.'),
  group: text('The group of the resource.'),
  'version!': text('The version of the resource.'),
  'kind!': text('The kind of the resource.'),
  'resource!': text('The plural name of the resource.'),
  namespace: text('The namespace of the resource.'),
  'name!': text('The name of the resource.'),
});

export const work: CustomResource = {
  group: 'work.karmada.io',
  kind: 'Work',
  plural: 'works',
  shortName: 'wk',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema(
        'The desired resources in one member cluster, which the namespace names: karmada-es-CLUSTER.',
        {
          'spec!': struct(
            'The desired resources in the cluster.',
            {
              'workload=': struct(
                'The resources.',
                {
                  manifests: list('The manifests of the resources.', {
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                  }),
                },
                { typeName: 'v1alpha1.WorkloadTemplate' },
              ),
              'suspendDispatching?': flag('Suspends the dispatching to the cluster.'),
              'preserveResourcesOnDeletion?': preserveResourcesOnDeletion,
            },
            { typeName: 'v1alpha1.WorkSpec' },
          ),
          'status=': struct('The observed state in the cluster.', {
            conditions: conditions(
              'Applied: all manifests are applied. Dispatching: the manifests are being dispatched.',
            ),
            manifestStatuses: list(
              'The state of each manifest in the cluster.',
              item({
                'identifier!': identifier,
                'status?': anyObject('The status of the resource in the cluster.'),
                health: health('The health of the resource.'),
              }),
            ),
          }),
        },
      ),
      columns: [
        { name: 'WORKLOAD-KIND', type: 'string', jsonPath: '.spec.workload.manifests[*].kind' },
        { name: 'APPLIED', type: 'string', jsonPath: '.status.conditions[?(@.type=="Applied")].status' },
        ageColumn('AGE'),
      ],
      subresources: 'status',
    },
  ],
};
