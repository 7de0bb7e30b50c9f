import t from 'tap';
import { atOnce } from '../../../lib/time-slice.js';
import type { SchemaProps } from '../../../openapi/schema/schema-props.js';
import { structuralFaults } from '../../../openapi/schema/structural.js';

const text: SchemaProps = { type: 'string' };
const object = (properties: Record<string, SchemaProps>, more: SchemaProps = {}): SchemaProps => ({
  type: 'object',
  properties,
  ...more,
});
const intOrString: SchemaProps = {
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
};

const cases: readonly { name: string; given: SchemaProps; expect: readonly string[] }[] = [
  { name: 'fields with types', given: object({ spec: object({ a: text }) }), expect: [] },
  {
    name: 'missing types',
    given: object({ a: {}, list: { type: 'array', items: {} } }),
    expect: [
      's.properties[a].type: Required value: must not be empty for specified object fields',
      's.properties[list].items.type: Required value: must not be empty for specified array items',
    ],
  },
  { name: 'no type at the root', given: {}, expect: ['s.type: Required value: must not be empty at the root'] },
  {
    name: 'another type at the root',
    given: text,
    expect: ['s.type: Invalid value: "string": must be object at the root'],
  },
  {
    name: 'unknown fields and integers or strings need no type',
    given: object({ any: { 'x-kubernetes-preserve-unknown-fields': true }, port: intOrString }),
    expect: [],
  },
  {
    name: 'other alternatives than those of x-kubernetes-int-or-string',
    given: object({ port: { ...intOrString, anyOf: [{ type: 'string' }, { type: 'integer' }] } }),
    expect: [
      's.properties[port].anyOf[0].type: Forbidden: must be empty to be structural',
      's.properties[port].anyOf[1].type: Forbidden: must be empty to be structural',
    ],
  },
  {
    name: 'those alternatives as the first of allOf',
    given: object({ port: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: intOrString.anyOf ?? [] }] } }),
    expect: [],
  },
  {
    name: 'x-kubernetes-int-or-string beside contradictions',
    given: object({
      port: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
    }),
    expect: [
      's.properties[port].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  },
  {
    name: 'arrays without items',
    given: object({ a: { type: 'array' } }),
    expect: ['s.properties[a].items: Required value: must be specified'],
  },
  {
    name: 'additional properties at the root',
    given: { type: 'object', additionalProperties: text },
    expect: ['s.additionalProperties: Forbidden: must not be used at the root'],
  },
  {
    name: 'embedded resources',
    given: object({
      a: { type: 'object', 'x-kubernetes-embedded-resource': true },
      b: { type: 'string', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    }),
    expect: [
      's.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      's.properties[b].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ],
  },
  {
    name: 'kind and apiVersion of another type',
    given: object({ kind: { type: 'integer' }, apiVersion: text }),
    expect: ['s.properties[kind].type: Invalid value: "integer": must be string'],
  },
  {
    name: 'restrictions of the name',
    given: object({ metadata: object({ name: { type: 'string', pattern: 'a' } }) }),
    expect: [],
  },
  {
    name: 'other restrictions of metadata',
    given: object({ metadata: object({ labels: { type: 'object' } }) }),
    expect: [
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  },
  {
    name: 'metadata that is no object',
    given: object({ metadata: text }),
    expect: ['s.properties[metadata].type: Invalid value: "string": must be object'],
  },
  {
    name: 'keywords inside of alternatives',
    given: object(
      { a: text },
      { anyOf: [{ properties: { a: { type: 'string', default: 'x', pattern: 'a' } } }], not: { nullable: true } },
    ),
    expect: [
      's.anyOf[0].properties[a].default: Forbidden: must be undefined to be structural',
      's.anyOf[0].properties[a].type: Forbidden: must be empty to be structural',
      's.not.nullable: Forbidden: must be false to be structural',
    ],
  },
  {
    name: 'rules in CEL inside of alternatives',
    given: object({ a: text }, { oneOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] }),
    expect: ['s.oneOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural'],
  },
  {
    name: 'a field that only an alternative declares',
    given: object({ a: text }, { allOf: [{ properties: { b: { pattern: 'x' } } }] }),
    expect: ['s.properties[b]: Required value: because it is defined in s.allOf[0].properties[b]'],
  },
  {
    name: 'an item that only an alternative declares, below the root',
    given: object(
      { l: { type: 'array', items: object({}) } },
      { not: { properties: { l: { items: { properties: { x: {} } } } } } },
    ),
    expect: [
      's.properties[l].items.properties[x]: Required value: because it is defined in s.not.properties[l].items.properties[x]',
    ],
  },
  {
    name: 'the names of Object.prototype are not declared',
    given: object({}, { not: { properties: { constructor: {} } } }),
    expect: ['s.properties[constructor]: Required value: because it is defined in s.not.properties[constructor]'],
  },
];

for (const { name, given, expect } of cases)
  t.test(name, async t => {
    const faults = atOnce(structuralFaults(given, 's'));
    t.strictSame(
      faults.map(({ path, message }) => `${path}: ${message}`),
      expect,
    );
  });

t.test('patterns that are no regular expressions are found', async t => {
  const [fault, ...others] = atOnce(structuralFaults(object({ a: { type: 'string', pattern: '(' } }), 's'));
  t.match(fault, { path: 's.properties[a].pattern', message: /must be a valid regular expression, but isn't: / });
  t.strictSame(others, []);
});

t.test('a large schema is walked in steps', async t => {
  const names = Array.from({ length: 20_000 }, (_, i) => [`f${i}`, text] as const);
  let steps = 0;
  for (const _ of structuralFaults(object(Object.fromEntries(names)), 's')) steps++;
  t.ok(steps > 10, `${steps} steps`);
});
