import t from 'tap';
import type { Schema } from '../../../../apimachinery/codec/interface.js';
import { validateBothWays } from '../validate-both-ways.js';

const texts = (value: unknown, schema: Schema, path?: string): string[] =>
  validateBothWays(value, schema, path === undefined ? {} : { path }).map(f => `${f.path}: ${f.message}`);

/** The schema of a field `a`, a value, and the expected faults. */
const cases: { name: string; schema: Schema; value: unknown; expect: string[] }[] = [
  {
    name: 'type',
    schema: { type: 'integer' },
    value: 'x',
    expect: ['a: Invalid value: "string": a in body must be of type integer: "string"'],
  },
  {
    name: 'null',
    schema: { type: 'string' },
    value: null,
    expect: ['a: Invalid value: "null": a in body must be of type string: "null"'],
  },
  { name: 'nullable', schema: { type: 'string', nullable: true }, value: null, expect: [] },
  { name: 'integers are numbers', schema: { type: 'number' }, value: 1, expect: [] },
  {
    name: 'int or string',
    schema: { 'x-kubernetes-int-or-string': true },
    value: true,
    expect: ['a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"'],
  },
  {
    name: 'int or string, as controller-gen writes it',
    schema: {
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: '^[0-9]+%$',
    },
    value: 'x',
    expect: ['a: Invalid value: "x": a in body should match \'^[0-9]+%$\''],
  },
  {
    name: 'int32',
    schema: { type: 'integer', format: 'int32' },
    value: 3000000000,
    expect: ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a'],
  },
  {
    name: 'maximum',
    schema: { type: 'integer', maximum: 10 },
    value: 11,
    expect: ['a: Invalid value: 11: a in body should be less than or equal to 10'],
  },
  {
    name: 'exclusive maximum',
    schema: { type: 'integer', maximum: 10, exclusiveMaximum: true },
    value: 10,
    expect: ['a: Invalid value: 10: a in body should be less than 10'],
  },
  {
    name: 'exclusive minimum',
    schema: { type: 'number', minimum: 0.5, exclusiveMinimum: true },
    value: 0.5,
    expect: ['a: Invalid value: 0.5: a in body should be greater than 0.5'],
  },
  {
    name: 'multiple',
    schema: { type: 'integer', multipleOf: 5 },
    value: 7,
    expect: ['a: Invalid value: 7: a in body should be a multiple of 5'],
  },
  {
    name: 'multiple of a fraction',
    schema: { type: 'number', multipleOf: 0.1 },
    value: 0.35,
    expect: ['a: Invalid value: 0.35: a in body should be a multiple of 0.1'],
  },
  { name: 'multiple of a fraction, valid', schema: { type: 'number', multipleOf: 0.1 }, value: 0.7, expect: [] },
  {
    name: 'enum',
    schema: { type: 'string', enum: ['x', 'y'] },
    value: 'z',
    expect: ['a: Unsupported value: "z": supported values: "x", "y"'],
  },
  {
    name: 'enum of a number and an object',
    schema: { enum: [1, { k: 'v' }] },
    value: { b: 1, a: 2 },
    expect: ['a: Unsupported value: {"a":2,"b":1}: supported values: "1", "{\\"k\\":\\"v\\"}"'],
  },
  { name: 'enum, valid', schema: { enum: [1, { k: 'v' }] }, value: { k: 'v' }, expect: [] },
  { name: 'too long counts runes', schema: { type: 'string', maxLength: 2 }, value: '🙂🙂', expect: [] },
  {
    name: 'too long',
    schema: { type: 'string', maxLength: 1 },
    value: 'ab',
    expect: ['a: Too long: may not be more than 1 byte'],
  },
  {
    name: 'too short',
    schema: { type: 'string', minLength: 3 },
    value: 'ab',
    expect: ['a: Invalid value: "ab": a in body should be at least 3 chars long'],
  },
  {
    name: 'pattern',
    schema: { type: 'string', pattern: '^a+$' },
    value: 'b',
    expect: ['a: Invalid value: "b": a in body should match \'^a+$\''],
  },
  {
    name: 'few items',
    schema: { type: 'array', minItems: 1 },
    value: [],
    expect: ['a: Invalid value: 0: a in body should have at least 1 items'],
  },
  {
    name: 'many items',
    schema: { type: 'array', maxItems: 1 },
    value: [1, 2],
    expect: ['a: Too many: 2: must have at most 1 item'],
  },
  {
    name: 'items',
    schema: { type: 'array', items: { type: 'string' } },
    value: ['x', 1],
    expect: ['a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"'],
  },
  {
    name: 'few properties',
    schema: { type: 'object', minProperties: 1 },
    value: {},
    expect: ['a: Invalid value: 0: a in body should have at least 1 properties'],
  },
  {
    name: 'many properties',
    schema: { type: 'object', maxProperties: 0 },
    value: { x: 1 },
    expect: ['a: Too many: 1: must have at most 0 items'],
  },
  { name: 'required', schema: { type: 'object', required: ['x'] }, value: {}, expect: ['a.x: Required value'] },
  {
    name: 'map values',
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
    value: { x: 'y' },
    expect: ['a.x: Invalid value: "string": a.x in body must be of type integer: "string"'],
  },
  {
    name: 'format',
    schema: { type: 'string', format: 'date-time' },
    value: 'noon',
    expect: ['a: Invalid value: "noon": a in body must be of type date-time: "noon"'],
  },
  {
    name: 'format of another type',
    schema: { type: 'string', format: 'date' },
    value: 5,
    expect: ['a: Invalid value: "int64": a in body must be of type date: "int64"'],
  },
  { name: 'unknown format', schema: { type: 'string', format: 'frob' }, value: 'x', expect: [] },
  {
    name: 'any of',
    schema: { anyOf: [{ properties: { x: { enum: [1] } }, required: ['x', 'y'] }, { required: ['z'] }] },
    value: { x: 1 },
    expect: ['<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)', 'a.y: Required value'],
  },
  {
    name: 'one of, none',
    schema: { oneOf: [{ required: ['x'] }, { required: ['z'] }] },
    value: {},
    expect: [
      '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found none valid',
      'a.x: Required value',
    ],
  },
  {
    name: 'one of, two',
    schema: { oneOf: [{ required: ['x'] }, { required: ['z'] }] },
    value: { x: 1, z: 1 },
    expect: ['<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  },
  {
    name: 'all of',
    schema: { allOf: [{ minimum: 5 }, { maximum: 9 }] },
    value: 3,
    expect: [
      'a: Invalid value: 3: a in body should be greater than or equal to 5',
      '<nil>: Invalid value: "": "a" must validate all the schemas (allOf)',
    ],
  },
  {
    name: 'not',
    schema: { not: { enum: ['x'] } },
    value: 'x',
    expect: ['<nil>: Invalid value: "": "a" must not validate the schema (not)'],
  },
];

t.test('faults have the messages of kube-apiserver', async t => {
  for (const { name, schema, value, expect } of cases)
    t.same(texts({ a: value }, { type: 'object', properties: { a: schema } }), expect, name);
});

t.test('faults have the path of the value', async t => {
  t.same(texts('x', { type: 'integer' }, 'spec.x.default'), [
    'spec.x.default: Invalid value: "string":  in body must be of type integer: "string"',
  ]);
  t.same(texts({}, { type: 'object', required: ['k'] }, 'p'), ['p.k: Required value']);
});

t.test('lengths count characters, not code units', t => {
  const [low, high, pair] = ['\udc00', '\ud83d', '\u{1f600}'];
  for (const [text, length] of [
    ['', 0],
    ['ab', 2],
    [pair, 1],
    [`${pair}${pair}a`, 3],
    [`${high}${high}${low}`, 2],
    [`${low}${high}`, 2],
  ] as const) {
    t.same(validateBothWays(text, { minLength: length, maxLength: length }), [], JSON.stringify(text));
    t.equal(validateBothWays(text, { minLength: length + 1 }).length, 1, `${JSON.stringify(text)} is too short`);
    if (length > 0)
      t.equal(validateBothWays(text, { maxLength: length - 1 }).length, 1, `${JSON.stringify(text)}: long`);
  }
  t.end();
});
