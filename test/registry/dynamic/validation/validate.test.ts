import t from 'tap';
import { atOnce } from '../../../../lib/time-slice.js';
import type { Fault, KubeObject } from '../../../../apimachinery/interface.js';
import { completeDefinition } from '../../../../registry/dynamic/crd-strategy.js';
import { definitionFaults } from '../../../../registry/dynamic/validation/validate.js';
import { anySchema, definition, version } from '../definitions.js';

const texts = (faults: readonly Fault[]): string[] => faults.map(({ path, message }) => `${path}: ${message}`);
const faultsOf = (object: KubeObject, old: KubeObject | undefined): readonly Fault[] =>
  atOnce(definitionFaults(object, old));

/** Returns a CRD as its rules see it: with defaults and its first status. */
function complete(object: KubeObject, storedVersions: readonly string[] = ['v1']): KubeObject {
  const copy = structuredClone(object);
  completeDefinition(copy, 'v1');
  return { ...copy, status: { storedVersions } };
}

const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const config = { url: 'https://h' };

const selecting = (name: string, paths: readonly string[] | undefined, properties: object): object =>
  version(name, {
    schema: { openAPIV3Schema: { type: 'object', properties } },
    ...(paths && { selectableFields: paths.map(jsonPath => ({ jsonPath })) }),
  });

t.test('faults of a new CRD', t => {
  const cases: readonly { name: string; spec: object; metadata?: object; stored?: string[]; expect: string[] }[] = [
    { name: 'nothing', spec: {}, expect: [] },
    {
      name: 'a wrong name',
      spec: {},
      metadata: { name: 'x.example.com' },
      expect: ['metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group'],
    },
    {
      name: 'a group without a dot',
      spec: { group: 'example' },
      metadata: { name: 'widgets.example' },
      expect: ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
    },
    {
      name: 'an unknown scope',
      spec: { scope: 'World' },
      expect: ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'],
    },
    {
      name: 'invalid names',
      spec: {
        names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget', singular: 'My', shortNames: ['ok', '1'] },
      },
      expect: [
        `spec.names.singular: Invalid value: "My": ${label}`,
        `spec.names.shortNames[1]: Invalid value: "1": ${label}`,
        'spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same',
      ],
    },
    {
      name: 'a version without a schema',
      spec: { versions: [version('v1', { schema: undefined }), version('v2')] },
      expect: ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    },
    {
      name: 'invalid columns',
      spec: {
        versions: [
          version('v1', {
            additionalPrinterColumns: [{ name: '', type: 'text', jsonPath: 'spec' }],
            schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string' } } } },
          }),
          version('v2'),
        ],
      },
      expect: [
        'spec.versions[0].additionalPrinterColumns[0].name: Required value',
        'spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
        'spec.versions[0].additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
      ],
    },
    {
      name: 'invalid paths of replicas',
      spec: {
        versions: [
          version('v1', { subresources: { scale: { specReplicasPath: '.status.n', labelSelectorPath: '.x.y' } } }),
        ],
      },
      expect: [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Required value',
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".x.y": should be a json path under either .spec or .status',
      ],
    },
    {
      name: 'a deprecation warning of a version that is not deprecated',
      spec: { versions: [version('v1', { deprecationWarning: 'old' })] },
      expect: ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
    },
    {
      name: 'invalid stored versions',
      spec: {},
      stored: ['v0'],
      expect: [
        'status.storedVersions: Invalid value: ["v0"]: must have the storage version v1',
        'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
      ],
    },
    {
      name: 'a protected group without approval',
      spec: { group: 'x.k8s.io' },
      metadata: { name: 'widgets.x.k8s.io' },
      expect: [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    },
    {
      name: 'a webhook without conversion by webhook',
      spec: { conversion: { strategy: 'None', webhook: { clientConfig: config, conversionReviewVersions: ['v1'] } } },
      expect: [
        'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
        'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
      ],
    },
    {
      name: 'a conversion webhook without an address',
      spec: { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v9', 'v9'] } } },
      expect: [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9","v9"]: must include at least one of v1, v1beta1',
      ],
    },
    {
      name: 'invalid selectable fields',
      spec: {
        versions: [
          version('v1', {
            selectableFields: [
              { jsonPath: '.spec.a' },
              { jsonPath: '.metadata.name' },
              { jsonPath: '.spec.o' },
              { jsonPath: '.spec.a' },
            ],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  metadata: { type: 'object', properties: { name: { type: 'string' } } },
                  spec: { type: 'object', properties: { a: { type: 'string' }, o: { type: 'object' } } },
                },
              },
            },
          }),
        ],
      },
      expect: [
        'spec.selectableFields[1].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata',
        'spec.selectableFields[2].jsonPath: Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.selectableFields[3].jsonPath: Duplicate value: ".spec.a"',
      ],
    },
    {
      name: 'the same selectable fields in different schemas',
      spec: {
        versions: [
          selecting('v1', ['.a'], { a: { type: 'string' } }),
          selecting('v2', ['.a'], { a: { type: 'integer' } }),
        ],
      },
      expect: ['spec.selectableFields: Invalid value: "": may only be set when validations.schema is included'],
    },
    {
      name: 'different selectable fields in the same schema',
      spec: {
        versions: [
          selecting('v1', ['.a'], { a: { type: 'string' } }),
          selecting('v2', undefined, { a: { type: 'string' } }),
        ],
      },
      expect: [
        'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
      ],
    },
    {
      name: 'preserveUnknownFields with defaults and a webhook',
      spec: {
        preserveUnknownFields: true,
        conversion: { strategy: 'Webhook', webhook: { clientConfig: config, conversionReviewVersions: ['v1'] } },
        versions: [selecting('v1', undefined, { a: { type: 'string', default: 'x' } })],
      },
      expect: [
        'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
        'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    },
    {
      name: 'the status subresource has requirements for its own version only',
      spec: {
        versions: [
          version('v1', { subresources: { status: {} } }),
          version('v2', { schema: { openAPIV3Schema: { ...anySchema.openAPIV3Schema, maxProperties: 3 } } }),
        ],
      },
      expect: [],
    },
    {
      name: 'no version is stored',
      spec: { versions: [version('v1', { storage: false, subresources: { status: {} } })] },
      stored: [],
      expect: [
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
        'status.storedVersions: Invalid value: []: must have at least one stored version',
      ],
    },
    {
      name: 'no versions',
      spec: { versions: null },
      expect: [
        'spec.versions: Invalid value: null: must have exactly one version marked as storage version',
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
      ],
    },
    {
      name: 'metadata in a default',
      spec: {
        versions: [
          selecting('v1', undefined, {
            o: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
              default: { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: 1 } } },
            },
          }),
        ],
      },
      expect: [
        'spec.validation.openAPIV3Schema.properties[o].default.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
      ],
    },
    {
      name: 'a transition rule in a list whose items cannot be matched',
      spec: {
        versions: [
          selecting('v1', undefined, {
            m: {
              type: 'object',
              'x-kubernetes-map-type': 'odd',
              properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
            },
          }),
        ],
      },
      expect: [
        'spec.validation.openAPIV3Schema.properties[m].x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"',
        'spec.validation.openAPIV3Schema.properties[m].properties[a].x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[m]',
      ],
    },
  ];
  for (const { name, spec, metadata, stored, expect } of cases)
    t.same(texts(faultsOf(complete(definition(spec, metadata), stored), undefined)), expect, name);
  t.end();
});

t.test('fields of a CRD that cannot be changed', t => {
  const established = { type: 'Established', status: 'True' };
  const old = complete(definition());
  const cases: readonly { name: string; spec: object; old: KubeObject; expect: string[] }[] = [
    { name: 'nothing', spec: {}, old, expect: [] },
    {
      name: 'group and plural',
      spec: { group: 'example.org', names: { plural: 'gadgets', kind: 'Gadget' } },
      old,
      expect: [
        'spec.group: Invalid value: "example.org": field is immutable',
        'spec.names.plural: Invalid value: "gadgets": field is immutable',
      ],
    },
    {
      name: 'scope and kind of an established CRD',
      spec: { scope: 'Cluster', names: { plural: 'widgets', kind: 'Gadget' } },
      old: { ...old, status: { storedVersions: ['v1'], conditions: [established] } },
      expect: [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "Gadget": field is immutable',
      ],
    },
    {
      name: 'preserveUnknownFields cannot be set again',
      spec: { preserveUnknownFields: true },
      old,
      expect: [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    },
  ];
  for (const { name, spec, old, expect } of cases)
    t.same(texts(faultsOf(complete(definition(spec)), old)), expect, name);
  t.end();
});

t.test('existing faults of a stored CRD are tolerated', t => {
  const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more });
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
  const item = { type: 'object', properties: { k: { type: 'string' } } };
  const manyKeys = Array.from({ length: 17 }, (_, i) => `k${i}`);
  const keyedItem = {
    type: 'object',
    properties: Object.fromEntries(manyKeys.map(name => [name, { type: 'string' }])),
    required: manyKeys,
  };
  const many = Array.from({ length: 9 }, (_, i) => `.a${i}`);
  const texts9 = Object.fromEntries(many.map(path => [path.slice(1), { type: 'string' }]));
  const cases: readonly { name: string; wrong: object; text: string }[] = [
    {
      name: 'sets of objects',
      wrong: { l: list({ type: 'object' }, { 'x-kubernetes-list-type': 'set' }) },
      text: 'must be atomic',
    },
    {
      name: 'keys that are not required',
      wrong: { l: list(item, keyed) },
      text: 'must have a default or be a required property',
    },
    {
      name: 'more keys than a list may have',
      wrong: { l: list(keyedItem, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': manyKeys }) },
      text: 'must have at most 16 items',
    },
    {
      name: 'defaults that are not pruned',
      wrong: { o: { type: 'object', default: { x: 1 } } },
      text: 'unknown fields',
    },
  ];
  const of = (properties: object, paths?: readonly string[]): KubeObject =>
    complete(definition({ versions: [selecting('v1', paths, properties)] }));
  for (const { name, wrong, text } of cases) {
    const [found] = texts(faultsOf(of(wrong), of({})));
    t.match(found, text, `${name}: not before`);
    t.same(texts(faultsOf(of({ ...wrong, more: { type: 'string' } }), of(wrong))), [], name);
  }
  t.match(texts(faultsOf(of(texts9, many), of(texts9)))[0], 'must have at most 8 items');
  t.same(texts(faultsOf(of(texts9, many), of(texts9, many))), [], 'too many selectable fields');
  const bare = complete(definition({ versions: [version('v1', { schema: undefined })] }));
  t.same(texts(faultsOf(bare, bare)), [
    'spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned',
  ]);
  t.end();
});
