/** Defines policy.karmada.io OverridePolicy and ClusterOverridePolicy. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type CustomResource, kindSchema } from './custom-resource.js';
import { clusterAffinity } from './placement.js';
import { resourceSelector } from './propagation-policies.js';
import { anything, item, labelsMap, list, oneOf, struct, text, texts } from './schema.js';

const patchOperator = oneOf('The operation: add, remove or replace.', ['add', 'remove', 'replace']);
const listOperator = oneOf('The operation: add or remove.', ['add', 'remove']);

const mapOverriders = (description: string): Schema =>
  list(
    description,
    item({ 'operator!': patchOperator, 'value!': labelsMap('The keys and values that are set or removed.') }),
  );

const wordOverriders = (description: string): Schema =>
  list(
    description,
    item({
      'containerName!': text('The name of the container.'),
      'operator!': listOperator,
      value: texts('The words that are appended or removed.'),
    }),
  );

const documentPatches = (description: string): Schema =>
  list(
    description,
    item({
      'subPath!': text('The path in the document, as a JSON pointer.'),
      'operator!': patchOperator,
      'value=': anything('The value for add and replace. Must be empty for remove.'),
    }),
  );

export const fieldOverriders: Schema = list(
  'Changes a JSON or YAML document in a field of text.',
  item(
    {
      'fieldPath!': text('The field that holds the document, as a JSON pointer: /data/config.yaml.'),
      json: documentPatches('Changes of a JSON document. Not together with yaml.'),
      yaml: documentPatches('Changes of a YAML document. Not together with json.'),
    },
    { typeName: 'v1alpha1.FieldOverrider' },
  ),
);

export const overriders: Schema = struct(
  'The overrides, which are applied in the order image, command, args, labels, annotations, field, plaintext.',
  {
    plaintext: list(
      'Changes any field.',
      item(
        {
          'path!': text('The field, as a JSON pointer.'),
          'operator!': patchOperator,
          'value=': anything('The value for add and replace. Must be empty for remove.'),
        },
        { typeName: 'v1alpha1.PlaintextOverrider' },
      ),
    ),
    imageOverrider: list(
      'Changes images.',
      item(
        {
          'predicate?': struct(
            'The images that are changed. Unset: those of all containers, where pods are expected.',
            {
              'path!': text(
                'The field that holds an image, as a JSON pointer: /spec/template/spec/containers/0/image.',
              ),
            },
            { typeName: 'v1alpha1.ImagePredicate' },
          ),
          'component!': oneOf('The part of the image that is changed.', ['Registry', 'Repository', 'Tag']),
          'operator!': patchOperator,
          value: text('The value for add and replace. Must be empty for remove.'),
        },
        { typeName: 'v1alpha1.ImageOverrider' },
      ),
    ),
    commandOverrider: wordOverriders('Changes the commands of containers.'),
    argsOverrider: wordOverriders('Changes the arguments of containers.'),
    labelsOverrider: mapOverriders('Changes labels.'),
    annotationsOverrider: mapOverriders('Changes annotations.'),
    fieldOverrider: fieldOverriders,
  },
  { typeName: 'v1alpha1.Overriders' },
);

const spec = struct(
  'The resources, and the overrides for clusters.',
  {
    resourceSelectors: list(
      'The resources that are changed. Empty: all resources in the scope of the policy.',
      resourceSelector,
    ),
    overrideRules: list(
      'Changes for groups of clusters, applied in order.',
      item(
        {
          'targetCluster?': clusterAffinity('The clusters of the overrides. Unset: all.'),
          'overriders!': overriders,
        },
        { typeName: 'v1alpha1.RuleWithCluster' },
      ),
    ),
    'targetCluster?': clusterAffinity('Deprecated: use overrideRules.'),
    'overriders=': { ...overriders, description: 'Deprecated: use overrideRules.' },
  },
  { typeName: 'v1alpha1.OverrideSpec' },
);

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
