import t from 'tap';
import type { Fault } from '../../../apimachinery/interface.js';
import { atOnce } from '../../../lib/time-slice.js';
import type { SchemaProps } from '../../../openapi/schema/schema-props.js';
import { keywordRuleFaults, type RuleChecks } from '../../../openapi/schema/schema-rules.js';

type Options = Parameters<typeof keywordRuleFaults<string>>[2];
const faultsOf = (schema: SchemaProps, options: Options = {}): string[] =>
  atOnce(keywordRuleFaults(schema, 's', options)).map(({ path, message }) => `${path}: ${message}`);
const text: SchemaProps = { type: 'string' };
const object = (properties: Record<string, SchemaProps>, more: SchemaProps = {}): SchemaProps => ({
  ...{ type: 'object', properties },
  ...more,
});

const keywords: readonly { name: string; given: SchemaProps; expect: readonly string[] }[] = [
  { name: 'a sound schema', given: object({ a: text, l: { type: 'array', items: text } }), expect: [] },
  {
    name: 'keywords of JSON schema that Kubernetes does not support',
    given: {
      id: 'x',
      additionalItems: true,
      patternProperties: { a: text },
      definitions: { a: text },
      dependencies: {},
      $ref: '',
    },
    expect: [
      's.id: Forbidden: id is not supported',
      's.additionalItems: Forbidden: additionalItems is not supported',
      's.patternProperties: Forbidden: patternProperties is not supported',
      's.definitions: Forbidden: definitions is not supported',
      's.dependencies: Forbidden: dependencies is not supported',
      's.$ref: Forbidden: $ref is not supported',
    ],
  },
  { name: 'those keywords without a value', given: { id: '', patternProperties: {}, definitions: {} }, expect: [] },
  {
    name: 'a type that does not exist, below definitions, too',
    given: { definitions: { a: { type: 'text' } }, dependencies: { b: { type: 'text' }, c: ['a'] } },
    expect: [
      's.definitions: Forbidden: definitions is not supported',
      's.dependencies: Forbidden: dependencies is not supported',
      's.definitions[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      's.dependencies[b].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  },
  {
    name: 'the type null',
    given: object({ a: { type: 'null' } }),
    expect: [
      's.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
      's.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative',
    ],
  },
  {
    name: 'a list of schemas of items',
    given: object({ a: { type: 'array', items: [text, { uniqueItems: true }] } }),
    expect: [
      's.properties[a].items: Forbidden: items must be a schema object and not an array',
      's.properties[a].items[1].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  },
  {
    name: 'properties beside additional ones',
    given: object({
      a: object({ b: text }, { additionalProperties: text }),
      c: object({ b: text }, { additionalProperties: true }),
    }),
    expect: [
      's.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  },
  {
    name: 'alternatives',
    given: { not: { id: 'x' }, anyOf: [{}, { id: 'x' }], oneOf: [{ id: 'x' }], allOf: [{ id: 'x' }] },
    expect: ['not', 'allOf[0]', 'oneOf[0]', 'anyOf[1]'].map(at => `s.${at}.id: Forbidden: id is not supported`),
  },
];

for (const { name, given, expect } of keywords) t.test(name, async t => t.strictSame(faultsOf(given), expect));

t.test('stored types that do not exist are tolerated', async t => {
  t.strictSame(faultsOf(object({ a: { type: 'text' } }), { tolerance: { unknownTypes: true } }), []);
});

t.test('where defaults are forbidden', async t => {
  const set: SchemaProps = { type: 'string', default: 'x' };
  t.strictSame(faultsOf(object({ a: set })), []);
  t.strictSame(faultsOf(object({ a: { type: 'string', default: null } }), { noDefaults: 'here' }), []);
  t.strictSame(faultsOf(object({ a: set }), { noDefaults: 'here' }), [
    's.properties[a].default: Forbidden: must not be set here',
  ]);
  t.strictSame(faultsOf(object({ a: set }), { noDefaults: '' }), [
    's.properties[a].default: Forbidden: must not be set',
  ]);
  t.strictSame(faultsOf(object({ metadata: object({ name: set }), kind: set })), [
    's.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
    's.properties[kind].default: Forbidden: must not be set in top-level kind',
  ]);
  t.strictSame(
    faultsOf(object({ spec: object({ metadata: object({ name: set }), kind: set }) })),
    [],
    'fields with these names',
  );
  const embedded = object(
    { metadata: object({ name: set, labels: { type: 'object', additionalProperties: set } }) },
    { 'x-kubernetes-embedded-resource': true },
  );
  t.strictSame(faultsOf(object({ spec: embedded })), [
    's.properties[spec].properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata',
  ]);
});

t.test('metadata contains no resource', async t => {
  const inner = { type: 'object', 'x-kubernetes-embedded-resource': true };
  t.strictSame(faultsOf(object({ metadata: object({ labels: inner }), spec: inner })), [
    's.properties[metadata].properties[labels].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta',
  ]);
});

/** Records where rules are checked, and adds one fault for each place. */
function recording(): { readonly checks: RuleChecks<string>; readonly places: string[] } {
  const places: string[] = [];
  const checks: RuleChecks<string> = {
    root: () => 'self',
    property: (context, _, name) => `${context}.${name}`,
    items: context => `${context}[]`,
    more: context => `${context}{}`,
    *check(context, _, path, uncorrelatable, faults: Fault[]) {
      places.push(`${context} at ${path}${uncorrelatable === undefined ? '' : `, not below ${uncorrelatable}`}`);
      faults.push({ reason: 'FieldValueInvalid', path, message: 'rule' });
    },
    finish: path => [{ reason: 'FieldValueForbidden', path, message: 'too expensive' }],
  };
  return { checks, places };
}

const ruled: SchemaProps = { type: 'string', 'x-kubernetes-validations': [{ rule: 'true' }] };

t.test('rules are checked in their context, and their faults come last', async t => {
  const { checks, places } = recording();
  const schema = object({
    map: { type: 'object', additionalProperties: ruled },
    list: { type: 'array', items: ruled },
    keyed: {
      ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
      items: object({ a: ruled }, { required: ['a'] }),
    },
    wrong: { type: 'object', id: 'x' },
  });
  t.strictSame(faultsOf(schema, { rules: checks }), [
    's.properties[wrong].id: Forbidden: id is not supported',
    's.properties[map].additionalProperties: rule',
    's.properties[list].items: rule',
    's.properties[keyed].items.properties[a]: rule',
    's: too expensive',
  ]);
  t.strictSame(places, [
    'self.map{} at s.properties[map].additionalProperties',
    'self.list[] at s.properties[list].items, not below s.properties[list]',
    'self.keyed[].a at s.properties[keyed].items.properties[a]',
  ]);
});

t.test('rules of a schema with other faults, and those in alternatives, are not checked', async t => {
  const { checks, places } = recording();
  faultsOf(object({ a: { ...ruled, id: 'x' } }, { not: ruled }), { rules: checks });
  t.strictSame(places, []);
});
