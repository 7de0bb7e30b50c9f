/** Defines config.karmada.io ResourceInterpreterCustomization and ResourceInterpreterWebhookConfiguration. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { ageColumn, type CustomResource, kindSchema } from './custom-resource.js';
import { int32, item, list, struct, text, texts } from './schema.js';

const script = (what: string, signature: string): Schema =>
  struct(what, { 'luaScript!': text(`A Lua script with the function ${signature}.`) });

export const resourceInterpreterCustomization: CustomResource = {
  group: 'config.karmada.io',
  kind: 'ResourceInterpreterCustomization',
  plural: 'resourceinterpretercustomizations',
  shortName: 'ric',
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Customizes the operations of the resource interpreter for a kind by Lua scripts.', {
        'spec!': struct('The kind and its customizations.', {
          'customizations!': struct(
            'The scripts by operation. An operation without a script keeps its default interpretation.',
            {
              componentResource: script(
                'Returns the components of a workload with their replicas and requirements.',
                'GetComponents(obj)',
              ),
              dependencyInterpretation: script(
                'Returns the dependencies of a resource, such as its ConfigMaps.',
                'GetDependencies(obj)',
              ),
              healthInterpretation: script('Returns whether a resource is healthy.', 'InterpretHealth(obj)'),
              replicaResource: script(
                'Returns the desired number of replicas and the requirements of each.',
                'GetReplicas(obj)',
              ),
              replicaRevision: script(
                'Returns the resource with another number of replicas.',
                'ReviseReplica(obj, desiredReplica)',
              ),
              retention: script(
                'Returns the desired object with the values that the member cluster keeps.',
                'Retain(desiredObj, observedObj)',
              ),
              statusAggregation: script(
                'Aggregates the statuses of all clusters into the status of the resource template.',
                'AggregateStatus(desiredObj, statusItems)',
              ),
              statusReflection: script(
                'Returns the part of the status that is collected from a member cluster.',
                'ReflectStatus(observedObj)',
              ),
            },
          ),
          'target!': struct('The customized kind.', {
            'apiVersion!': text('The group and version.'),
            'kind!': text('The kind.'),
          }),
        }),
      }),
      columns: [
        { name: 'TARGET-API-VERSION', type: 'string', jsonPath: '.spec.target.apiVersion' },
        { name: 'TARGET-KIND', type: 'string', jsonPath: '.spec.target.kind' },
        ageColumn('AGE'),
      ],
      subresources: 'none',
    },
  ],
};

const webhook = item({
  'name!': text('A fully qualified name with at least two dots, for example workloads.example.com.'),
  'clientConfig!': struct('The address of the webhook: a url or a service.', {
    'url?': text('The URL of the webhook: https://HOST:PORT/PATH.'),
    'service?': struct('The Service of the webhook.', {
      'namespace!': text('The namespace of the Service.'),
      'name!': text('The name of the Service.'),
      'path?': text('The path of the URL.'),
      'port?': int32('The port of the Service. Defaults to 443.'),
    }),
    caBundle: text('The CA certificates that verify the certificate of the webhook, as PEM.', { format: 'byte' }),
  }),
  rules: list(
    'The operations and kinds for which the webhook is called.',
    item({
      'operations!': texts('The operations: InterpretReplica, ReviseReplica, ...; "*" is all.'),
      'apiGroups!': texts('The groups; "*" is all.'),
      'apiVersions!': texts('The versions; "*" is all.'),
      'kinds!': texts('The kinds; "*" is all.'),
    }),
  ),
  'timeoutSeconds?': int32('The timeout of a call in seconds, from 1 to 30. Defaults to 10.'),
  'interpreterContextVersions!': texts('The versions of ResourceInterpreterContext that the webhook supports.'),
});

export const resourceInterpreterWebhookConfiguration: CustomResource = {
  group: 'config.karmada.io',
  kind: 'ResourceInterpreterWebhookConfiguration',
  plural: 'resourceinterpreterwebhookconfigurations',
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Configures the webhooks that the resource interpreter calls for kinds.', {
        'webhooks!': list('The webhooks.', webhook),
      }),
    },
  ],
};
