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
      schema: kindSchema('Tells Karmada in Lua how to understand a kind.', {
        'spec!': struct('The kind, and the scripts.', {
          'customizations!': struct('The scripts. What is left out is understood as before.', {
            componentResource: script('The parts of a workload.', 'GetComponents(obj)'),
            dependencyInterpretation: script('What a resource refers to.', 'GetDependencies(obj)'),
            healthInterpretation: script('Whether a resource works.', 'InterpretHealth(obj)'),
            replicaResource: script('How many replicas a resource wants, and what each needs.', 'GetReplicas(obj)'),
            replicaRevision: script(
              'Gives a resource another number of replicas.',
              'ReviseReplica(obj, desiredReplica)',
            ),
            retention: script('Keeps what the member itself changes in a resource.', 'Retain(desiredObj, observedObj)'),
            statusAggregation: script(
              'Makes one status from those of all clusters.',
              'AggregateStatus(desiredObj, statusItems)',
            ),
            statusReflection: script('The status that is taken over from a cluster.', 'ReflectStatus(observedObj)'),
          }),
          'target!': struct('The kind.', {
            'apiVersion!': text('Its group and version.'),
            'kind!': text('Its kind.'),
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
  'name!': text('A name with at least two dots: workloads.example.com.'),
  'clientConfig!': struct('Where the webhook is: a url or a service.', {
    'url?': text('Its address: https://HOST:PORT/PATH.'),
    'service?': struct('The service that leads to it.', {
      'namespace!': text('Its namespace.'),
      'name!': text('The name of the service.'),
      'path?': text('The path of the URL.'),
      'port?': int32('The port. Unset: 443.'),
    }),
    caBundle: text('The certificates that its certificate is checked with, as PEM.', { format: 'byte' }),
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
  'timeoutSeconds?': int32('How long it may take, from 1 to 30. Unset: 10.'),
  'interpreterContextVersions!': texts('The versions of ResourceInterpreterContext that it understands.'),
});

export const resourceInterpreterWebhookConfiguration: CustomResource = {
  group: 'config.karmada.io',
  kind: 'ResourceInterpreterWebhookConfiguration',
  plural: 'resourceinterpreterwebhookconfigurations',
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Tells Karmada which webhooks to ask how to understand a kind.', {
        'webhooks!': list('The webhooks.', webhook),
      }),
    },
  ],
};
