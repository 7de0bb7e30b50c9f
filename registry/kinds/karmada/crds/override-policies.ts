/** policy.karmada.io OverridePolicy and ClusterOverridePolicy (inventory API-035, API-036). */
import type { Schema } from '../../../../openapi/schema/interface.js';
import { type CustomResource, kindSchema } from './custom-resource.js';
import { resourceSelector } from './propagation-policies.js';
import { anything, item, labelsMap, list, oneOf, struct, text, texts } from './schema.js';
import { clusterAffinity } from './shared.js';

const patchOperator = oneOf('What to do: add, remove or replace.', ['add', 'remove', 'replace']);
const listOperator = oneOf('What to do: add or remove.', ['add', 'remove']);

const mapOverriders = (description: string): Schema =>
  list(
    description,
    item({ 'operator!': patchOperator, 'value!': labelsMap('The keys, and the values they get (or lose).') }),
  );

const wordOverriders = (description: string): Schema =>
  list(
    description,
    item({
      'containerName!': text('The container.'),
      'operator!': listOperator,
      value: texts('The words that are appended, or taken out.'),
    }),
  );

const documentPatches = (description: string): Schema =>
  list(
    description,
    item({
      'operator!': patchOperator,
      'subPath!': text('Where in the document, as a JSON pointer.'),
      value: anything('What is added, or put in place. Must be empty for remove.'),
    }),
  );

const overriders = struct(
  'What is changed. Applied in the order image, command, args, labels, annotations, field, plaintext.',
  {
    annotationsOverrider: mapOverriders('Changes annotations.'),
    argsOverrider: wordOverriders('Changes the arguments of containers.'),
    commandOverrider: wordOverriders('Changes the commands of containers.'),
    fieldOverrider: list(
      'Changes a JSON or YAML document that stands as text in a field.',
      item({
        'fieldPath!': text('The field that holds the document, as a JSON pointer: /data/config.yaml.'),
        json: documentPatches('Changes of a JSON document. Not together with yaml.'),
        yaml: documentPatches('Changes of a YAML document. Not together with json.'),
      }),
    ),
    imageOverrider: list(
      'Changes images.',
      item({
        'component!': oneOf('The part of the image that is changed.', ['Registry', 'Repository', 'Tag']),
        'operator!': patchOperator,
        predicate: struct('The images that are changed. Unset: those of all containers, where pods are expected.', {
          'path!': text('The field that holds an image, as a JSON pointer: /spec/template/spec/containers/0/image.'),
        }),
        value: text('What is added, or put in place. Must be empty for remove.'),
      }),
    ),
    labelsOverrider: mapOverriders('Changes labels.'),
    plaintext: list(
      'Changes any field.',
      item({
        'operator!': patchOperator,
        'path!': text('The field, as a JSON pointer.'),
        value: anything('What is added, or put in place. Must be empty for remove.'),
      }),
    ),
  },
);

const spec = struct('What is changed for which clusters.', {
  overrideRules: list(
    'Changes for groups of clusters, applied in order.',
    item({
      'overriders!': overriders,
      targetCluster: clusterAffinity('The clusters that they are for. Unset: all.'),
    }),
  ),
  overriders: { ...overriders, description: 'Deprecated: use overrideRules.' },
  resourceSelectors: list('The resources that are changed. Empty: all that the policy can see.', resourceSelector),
  targetCluster: clusterAffinity('Deprecated: use overrideRules.'),
});

const policy = (kind: string, plural: string, shortName: string, scope: CustomResource['scope'], what: string) =>
  ({
    group: 'policy.karmada.io',
    ...{ kind, plural, shortName, scope },
    versions: [{ name: 'v1alpha1', schema: kindSchema(what, { 'spec!': spec }) }],
  }) satisfies CustomResource;

export const overridePolicy: CustomResource = policy(
  'OverridePolicy',
  'overridepolicies',
  'op',
  'Namespaced',
  'Changes resources of its namespace for some clusters, on their way there.',
);

export const clusterOverridePolicy: CustomResource = policy(
  'ClusterOverridePolicy',
  'clusteroverridepolicies',
  'cop',
  'Cluster',
  'Changes resources of any namespace for some clusters, on their way there. OverridePolicies are applied after it.',
);
