import t from 'tap';
import type { ValidationRule } from '../../../apimachinery/codec/interface.js';
import type { Fault } from '../../../apimachinery/interface.js';
import { extensionFaults, ruleFormFaults, type ExtensionTolerance } from '../../../openapi/schema/extension-rules.js';
import type { SchemaProps } from '../../../openapi/schema/schema-props.js';

const texts = (faults: readonly Fault[]): string[] => faults.map(({ path, message }) => `${path}: ${message}`);
const text: SchemaProps = { type: 'string' };
const named: SchemaProps = { type: 'object', required: ['name'], properties: { name: text } };
const map = (items: SchemaProps, ...keys: readonly string[]): SchemaProps => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});
const set = (items: SchemaProps): SchemaProps => ({ type: 'array', items, 'x-kubernetes-list-type': 'set' });

interface Case {
  readonly name: string;
  readonly given: object;
  readonly tolerance?: ExtensionTolerance;
  readonly expect: readonly string[];
}

const many = Array.from({ length: 17 }, (_, i) => `k${i}`);
const properties = Object.fromEntries(many.map(name => [name, text]));

const cases: readonly Case[] = [
  { name: 'a list with keys', given: map(named, 'name'), expect: [] },
  {
    name: 'a list without keys',
    given: map(named),
    expect: ['s.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map'],
  },
  {
    name: 'keys of a list that has none',
    given: { type: 'array', items: named, 'x-kubernetes-list-map-keys': ['name'] },
    expect: ['s.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty'],
  },
  {
    name: 'keys of a set',
    given: { ...set(text), 'x-kubernetes-list-map-keys': ['name'] },
    expect: ['s.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'],
  },
  {
    name: 'a list of texts with keys',
    given: map(text, 'name'),
    expect: [`s.items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`],
  },
  {
    name: 'no schema of items',
    given: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
    expect: ['s.items: Required value: must have a schema if x-kubernetes-list-type is map'],
  },
  {
    name: 'unknown, duplicate and composite keys',
    given: map(
      { ...named, required: ['name', 'o'], properties: { name: text, o: { type: 'object' } } },
      'x',
      'name',
      'name',
      'o',
    ),
    expect: [
      's.x-kubernetes-list-map-keys: Invalid value: ["x","name","name","o"]: entries must all be names of item properties',
      's.x-kubernetes-list-map-keys: Invalid value: ["x","name","name","o"]: must not contain duplicate entries',
      `s.items.properties[o].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
    ],
  },
  {
    name: 'a key that may be absent',
    given: map({ type: 'object', properties: { name: text } }, 'name'),
    expect: [
      's.items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  },
  {
    name: 'a key with a default',
    given: map({ type: 'object', properties: { name: { type: 'string', default: '' } } }, 'name'),
    expect: [],
  },
  {
    name: 'a key, and items, that may be null',
    given: map({ ...named, nullable: true, properties: { name: { type: 'string', nullable: true } } }, 'name'),
    expect: [
      's.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map',
      's.items.properties[name].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    ],
  },
  {
    name: 'stored keys that may be absent are tolerated',
    given: map({ type: 'object', properties: { name: text } }, 'name'),
    tolerance: { looseKeys: true },
    expect: [],
  },
  {
    name: 'more keys than are allowed',
    given: map({ type: 'object', required: many, properties }, ...many),
    expect: ['s.x-kubernetes-list-map-keys: Too many: 17: must have at most 16 items'],
  },
  {
    name: 'stored keys that are more are tolerated',
    given: map({ type: 'object', required: many, properties }, ...many),
    tolerance: { manyKeys: true },
    expect: [],
  },
  { name: 'a set of texts', given: set(text), expect: [] },
  {
    name: 'a set of objects',
    given: set({ type: 'object' }),
    expect: [
      's.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  },
  { name: 'a set of atomic objects', given: set({ type: 'object', 'x-kubernetes-map-type': 'atomic' }), expect: [] },
  {
    name: 'a set of sets',
    given: set(set(text)),
    expect: [
      's.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  },
  {
    name: 'a stored set of objects is tolerated',
    given: set({ type: 'object' }),
    tolerance: { compositeSets: true },
    expect: [],
  },
  {
    name: 'a list type of something else',
    given: { type: 'string', 'x-kubernetes-list-type': 'atomic' },
    expect: ['s.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
  },
  {
    name: 'unknown list and map types',
    given: { 'x-kubernetes-list-type': 'heap', 'x-kubernetes-map-type': 'heap' },
    expect: [
      's.type: Required value: must be object if x-kubernetes-map-type is specified',
      's.x-kubernetes-map-type: Unsupported value: "heap": supported values: "atomic", "granular"',
      's.type: Required value: must be array if x-kubernetes-list-type is specified',
      's.x-kubernetes-list-type: Unsupported value: "heap": supported values: "atomic", "set", "map"',
    ],
  },
  {
    name: 'false for unknown fields',
    given: { 'x-kubernetes-preserve-unknown-fields': false },
    expect: ['s.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
  },
];

for (const { name, given, tolerance = {}, expect } of cases)
  t.test(name, async t => t.strictSame(texts(extensionFaults(given, 's', tolerance)), expect));

const ruleWith = (more: object): ValidationRule => ({ rule: 'x', ...more });

const rules: readonly { given: ValidationRule; expect: readonly string[] }[] = [
  { given: { rule: 'true', message: 'm', reason: 'FieldValueInvalid', fieldPath: '.a' }, expect: [] },
  { given: { rule: ' ' }, expect: ['r.rule: Required value: rule is not specified'] },
  { given: { rule: 'x', message: ' ' }, expect: ['r.message: Invalid value: " ": must be non-empty if specified'] },
  {
    given: { rule: 'x', message: 'a\nb' },
    expect: [String.raw`r.message: Invalid value: "a\nb": must not contain line breaks`],
  },
  {
    given: { rule: 'x &&\ny' },
    expect: ['r.message: Required value: message must be specified if rule contains line breaks'],
  },
  { given: { rule: 'x\n' }, expect: [] },
  {
    given: { rule: 'x', messageExpression: ' ' },
    expect: ['r.messageExpression: Required value: messageExpression must be non-empty if specified'],
  },
  {
    given: ruleWith({ reason: 'Whim' }),
    expect: [
      'r.reason: Unsupported value: "Whim": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  },
  { given: { rule: 'x', fieldPath: '.b' }, expect: ['r.fieldPath: Invalid value: ".b": must be a valid path'] },
  {
    given: { rule: 'x', fieldPath: ' ' },
    expect: [
      'r.fieldPath: Invalid value: " ": must be non-empty if specified',
      'r.fieldPath: Invalid value: " ": must be a valid path',
    ],
  },
];

t.test('the form of rules', async t => {
  const schema: SchemaProps = { type: 'object', properties: { a: text } };
  for (const { given, expect } of rules)
    t.strictSame(texts(ruleFormFaults(schema, given, 'r', true)), expect, JSON.stringify(given));
  t.strictSame(
    ruleFormFaults(schema, { rule: 'x', fieldPath: '.b' }, 'r', false),
    [],
    'a schema that has no structure',
  );
});
