/** Defines work.karmada.io Work. */
import { ageColumn, type CustomResource, kindSchema } from './custom-resource.js';
import { anyObject, flag, integer, item, list, struct, text } from './schema.js';
import { conditions, health, preserveResourcesOnDeletion } from './shared.js';

const identifier = struct('The manifest.', {
  'ordinal!': integer('The place of the manifest in spec.workload.manifests, from 0 on.'),
  group: text('The group of the resource.'),
  'version!': text('Its version.'),
  'kind!': text('Its kind.'),
  'resource!': text('The plural name of the resource.'),
  namespace: text('Its namespace.'),
  'name!': text('Its name.'),
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
      schema: kindSchema('What is to stand in one member cluster: that of its namespace, karmada-es-CLUSTER.', {
        'spec!': struct(
          'What is to stand there.',
          {
            'workload=': struct(
              'The resources.',
              {
                manifests: list('The objects as they are applied.', {
                  type: 'object',
                  'x-kubernetes-preserve-unknown-fields': true,
                }),
              },
              { typeName: 'v1alpha1.WorkloadTemplate' },
            ),
            'suspendDispatching?': flag('Nothing is sent to the cluster for now.'),
            'preserveResourcesOnDeletion?': preserveResourcesOnDeletion,
          },
          { typeName: 'v1alpha1.WorkSpec' },
        ),
        'status=': struct('How it stands there.', {
          conditions: conditions('Applied: everything stands there. Dispatching: it is being sent.'),
          manifestStatuses: list(
            'The state of each manifest in the cluster.',
            item({
              'identifier!': identifier,
              'status?': anyObject('Its status there.'),
              health: health('Whether it works.'),
            }),
          ),
        }),
      }),
      columns: [
        { name: 'WORKLOAD-KIND', type: 'string', jsonPath: '.spec.workload.manifests[*].kind' },
        { name: 'APPLIED', type: 'string', jsonPath: '.status.conditions[?(@.type=="Applied")].status' },
        ageColumn('AGE'),
      ],
      subresources: 'status',
    },
  ],
};
