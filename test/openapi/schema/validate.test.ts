import t from 'tap';
import { correlate } from '../../../apimachinery/codec/correlation.js';
import { formatCheck } from '../../../openapi/formats.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { listTypeFaults } from '../../../openapi/schema/list-types.js';
import { atOnce } from '../../../lib/time-slice.js';
import type { Fault } from '../../../apimachinery/interface.js';
import { checkText, reportedFaults, newReport, withinCheckSteps } from '../../../openapi/schema/report.js';
import { validateSteps, validateValue as validateQuickly } from '../../../openapi/schema/validate.js';
import type { Old } from '../../../openapi/schema/validate-parts.js';
import { partSteps } from '../../../openapi/schema/validate-steps.js';
import { cpuCost } from '../../cpu-cost.js';

/** Returns the faults that the checks in steps find, which are otherwise only done for large values. */
function faultsInSteps(value: unknown, schema: Schema, path: string, old: Old): Fault[] {
  const report = newReport(path);
  atOnce(withinCheckSteps(report, partSteps(value, schema, '', old, report)));
  return reportedFaults(report);
}

/** Returns the faults of a value, after a check that both ways to validate it find the same. */
function validateValue(value: unknown, schema: Schema, options: { path?: string; old?: Old } = {}): Fault[] {
  const { path = '', old } = options;
  const faults = validateQuickly(value, schema, { path, ...(old && { old }) });
  const plain = faultsInSteps(value, schema, path, undefined);
  const all = !old || (plain.length === 0 && faults.length === 0) ? plain : faultsInSteps(value, schema, path, old);
  t.strictSame(all, faults, 'the same faults in steps');
  return faults;
}

const texts = (value: unknown, schema: Schema, path?: string): string[] =>
  validateValue(value, schema, path === undefined ? {} : { path }).map(f => `${f.path}: ${f.message}`);

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

t.test('unchanged invalid values are tolerated', async t => {
  const schema: Schema = {
    type: 'object',
    properties: {
      n: { type: 'integer', maximum: 5 },
      s: { type: 'object', properties: { x: { type: 'string', enum: ['a'] }, y: { type: 'string' } }, required: ['y'] },
      m: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 5 } } },
      },
      l: { type: 'array', items: { type: 'integer', maximum: 5 } },
    },
  };
  const old = {
    n: 50,
    s: { x: 'b' },
    m: [
      { k: 'a', v: 50 },
      { k: 'b', v: 1 },
    ],
    l: [50, 1],
  };
  const paths = (value: object): string[] =>
    validateValue(value, schema, { old: correlate(value, old, schema) }).map(f => f.path);
  const copy = (): typeof old => JSON.parse(JSON.stringify(old)) as typeof old;
  t.same(paths(copy()), []);
  t.same(paths({ ...copy(), n: 60 }), ['n']);
  t.same(paths({ ...copy(), s: { x: 'b', z: 1 } }), ['s.y'], 'the enum did not change, the object did');
  t.same(
    paths({
      ...copy(),
      m: [
        { k: 'b', v: 2 },
        { k: 'a', v: 50 },
      ],
    }),
    [],
    'items of list maps are found by key',
  );
  t.same(
    paths({
      ...copy(),
      m: [
        { k: 'c', v: 50 },
        { k: 'a', v: 51 },
      ],
    }),
    ['m[0].v', 'm[1].v'],
  );
  t.same(paths({ ...copy(), l: [50, 2] }), ['l[0]'], 'other lists are compared whole');
});

t.test('duplicates in sets and list maps are found', async t => {
  const set: Schema = { type: 'array', 'x-kubernetes-list-type': 'set' };
  const map: Schema = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] };
  const all: Schema = { type: 'object', properties: { set, map, in: { type: 'object', additionalProperties: set } } };
  const found = (value: object): string[] => listTypeFaults(value, all).map(f => `${f.path}: ${f.message}`);
  t.same(found({ set: ['x', 'y', 'x', 'x', { b: 1, a: 2 }, { a: 2, b: 1 }] }), [
    'set[2]: Duplicate value: "x"',
    'set[5]: Duplicate value: {"a":2,"b":1}',
  ]);
  t.same(found({ map: [{ a: 1, b: 2 }, { b: 2, a: 1, c: 3 }, { a: 1 }] }), ['map[1]: Duplicate value: {"a":1,"b":2}']);
  t.same(found({ map: ['x'] }), ['map[0]: Invalid value: "x": must be an object for an array of list-type map']);
  t.same(found({ in: { k: [1, 1] } }), ['in[k][1]: Duplicate value: 1']);
});

t.test('formats of strings are checked', async t => {
  const table: Record<string, { yes: string[]; no: string[] }> = {
    uri: { yes: ['http://a.b/c', '/x', 'urn:a:b'], no: ['', 'a b', 'http://a b/', 'x/y'] },
    email: { yes: ['a@b.c', 'Name <a@b>', '"q q"@b'], no: ['a', 'a@', '@b', 'a b@c'] },
    hostname: {
      yes: ['a', 'a-', 'a.example.com', 'b\u00fccher.example.com', '\u20ac', `${'a'.repeat(63)}.com`],
      no: ['', '-a.b', 'a_b', 'a-.com', 'a.b', `${'a'.repeat(64)}.com`, `${'\u00fc'.repeat(32)}.com`],
    },
    ipv4: { yes: ['1.2.3.4'], no: ['1.2.3', '::1', '256.1.1.1'] },
    ipv6: { yes: ['::1'], no: ['1.2.3.4', ':::'] },
    cidr: { yes: ['10.0.0.0/8', '::/0'], no: ['10.0.0.0', '10.0.0.0/33'] },
    mac: { yes: ['01:23:45:67:89:ab', '0123.4567.89ab'], no: ['01:23', '01:23:45:67:89'] },
    uuid: { yes: ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6'], no: ['f81d4fae'] },
    'date-time': {
      yes: ['2024-02-29T12:00:00Z', '2024-01-01t00:00:00.1z', '2024-01-01T00:00:00+01:00'],
      no: ['2023-02-29T12:00:00Z', '2024-01-01', 'noon', '2024-01-01T25:00:00Z'],
    },
    date: { yes: ['2024-02-29'], no: ['2024-2-9', '2024-13-01'] },
    // Matching from every digit would take days for long texts.
    duration: {
      yes: ['1h', '3 days', '5 minutes', '12 34s', 'x 5HR', '1q 2 Weeks', '3wk', '7 µs', '4MILLISECONDS'],
      no: ['', 'x', '5 foos', '1'.repeat(1_000_000), '1q'.repeat(1_000_000), '2 hx', '5wkx'],
    },
    byte: {
      yes: ['YQ==', 'YWI=', 'YWJj', 'YWJjYQ=='],
      no: ['', 'YQ', '!', '====', 'Y===', 'YQ=', 'YWJ', 'YW=j', 'YQ==YQ==', 'YWJj==', 'YWJj\n', 'YW=\n'],
    },
    creditcard: { yes: ['4111 1111 1111 1111'], no: ['4111 1111 1111 1112'] },
    isbn: {
      yes: ['0321751043', '978-0321751041', `0${' -'.repeat(1000)}321751043`],
      no: ['0321751044', '0321751043x'],
    },
    hexcolor: { yes: ['#fff', 'ABCDEF'], no: ['#ffff'] },
    rgbcolor: { yes: ['rgb(255, 0, 9)'], no: ['rgb(256,0,0)'] },
    ssn: { yes: ['123-45-6789'], no: ['123456789'] },
    bsonobjectid: { yes: ['507f1f77bcf86cd799439011'], no: ['507f'] },
    'k8s-short-name': { yes: ['a-b'], no: ['A', 'a.b'] },
    'k8s-long-name': { yes: ['a.b'], no: ['.a'] },
  };
  for (const [format, { yes, no }] of Object.entries(table)) {
    for (const text of yes) t.ok(formatCheck(format)?.(text), `${format} ${text}`);
    for (const text of no) t.notOk(formatCheck(format)?.(text), `${format} not ${text}`);
  }
});

t.test('large values and expensive schemas take milliseconds', async t => {
  const items = (schema: Schema): Schema => ({
    type: 'object',
    properties: { l: { type: 'array', items: schema } },
  });
  const values = Array.from({ length: 20_000 }, (_, i) => `v${i}`);
  const last = values.at(-1);
  const cases: { name: string; schema: Schema; list: unknown[]; expect: (faults: number) => boolean }[] = [
    {
      name: 'a large enum and many values',
      schema: { type: 'string', enum: values },
      list: Array.from({ length: 90_000 }, () => last),
      expect: faults => faults === 0,
    },
    {
      name: 'an enum of objects',
      schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, enum: [{ a: 1 }, { a: 2 }] },
      list: Array.from({ length: 50_000 }, () => ({ a: 2 })),
      expect: faults => faults === 0,
    },
    {
      name: 'values that are in no large enum',
      schema: { type: 'string', enum: values },
      list: Array.from({ length: 90_000 }, () => 'w'),
      expect: faults => faults >= 1 && faults < 100,
    },
    {
      name: 'a pattern that nothing matches',
      schema: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$' },
      list: Array.from({ length: 90_000 }, () => 'a'),
      expect: faults => faults > 100 && faults < 10_000,
    },
    {
      name: 'a pattern that all match',
      schema: { type: 'string', pattern: '^[a-z]*$', maxLength: 9, minLength: 1 },
      list: Array.from({ length: 90_000 }, () => 'a'),
      expect: faults => faults === 0,
    },
    {
      name: 'alternatives of which the first fails each time',
      schema: { anyOf: [{ enum: ['b'] }, { enum: ['a'] }], type: 'string' },
      list: Array.from({ length: 10_000 }, () => 'a'),
      expect: faults => faults === 0,
    },
  ];
  for (const { name, schema, list, expect } of cases) {
    let faults = NaN;
    const ms = await cpuCost(900, () => (faults = validateValue({ l: list }, items(schema)).length));
    t.ok(expect(faults), `${name}: ${faults} faults`);
    t.ok(ms < 900, `${name}: ${Math.round(ms)} ms`);
  }
});

t.test('the time that many alternatives take for one value is bounded', t => {
  const manyOf = (make: (i: number) => Schema): Schema => ({ allOf: Array.from({ length: 3000 }, (_, i) => make(i)) });
  const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, 1]));
  const text = '\u{1f600}'.repeat(300_000);
  const cases: Record<string, readonly [unknown, Schema]> = {
    lengths: [text, manyOf(i => ({ minLength: 100 + i, maxLength: 400_000 + i }))],
    formats: ['AAAA'.repeat(500_000), manyOf(() => ({ format: 'byte' }))],
    patterns: ['a'.repeat(100_000), manyOf(i => ({ pattern: `^a+b?${i}?$` }))],
    fields: [fields, manyOf(i => ({ properties: { [`x${i}`]: { type: 'string' } } }))],
    'required fields': [fields, manyOf(i => ({ required: Array.from({ length: 1000 }, (_, j) => `f${i + j}`) }))],
  };
  for (const [name, [value, schema]] of Object.entries(cases)) {
    const [fault, ...more] = validateValue(value, schema);
    t.match(fault?.message, /^Invalid value: validation takes more than \d+ checks/, name);
    t.same(more, [], name);
  }
  t.end();
});

t.test('the steps of patterns are bounded for all texts together, and ordinary patterns need few', t => {
  const list = (pattern: string): Schema => ({ type: 'array', items: { type: 'string', pattern } });
  const texts = Array.from({ length: 1000 }, (_, i) => `${'a'.repeat(2900)}${i}`);
  const [fault] = validateValue(texts, list('(\\p{L}|\\p{N}|\\p{Lu}|a){0,30}b$'));
  t.match(fault?.message, /^Invalid value: validation takes more than \d+ checks/);
  const names = Array.from({ length: 20_000 }, (_, i) => `name-${i}.example.com`);
  t.same(validateValue(names, list('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')), []);
  t.same(validateValue(['x'.repeat(3_000_000)], list('^[a-z]*$')), [], 'a text of three megabytes');
  t.end();
});

t.test('large values and values with many alternatives are validated in many steps', t => {
  const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const fields = Object.fromEntries(many(20_000, i => [`f${i}`, 1]));
  const cases: Record<string, readonly [unknown, Schema]> = {
    objects: [many(200_000, () => ({ a: 1 })), { items: { type: 'object', properties: { a: { minimum: 1 } } } }],
    members: [
      Object.fromEntries(many(200_000, i => [`f${i}`, {}])),
      { additionalProperties: { type: 'object', maxProperties: 1 } },
    ],
    alternatives: [fields, { anyOf: many(30, i => ({ required: [`x${i}`], properties: { a: {} } })) }],
    schemas: [fields, { allOf: many(30, i => ({ properties: { [`x${i}`]: {} } })) }],
    patterns: [
      many(1000, i => `${'a'.repeat(2900)}${i}`),
      { items: { type: 'string', pattern: '^(\\p{L}|\\p{N})*$' } },
    ],
  };
  for (const [name, [value, schema]] of Object.entries(cases)) {
    let steps = 0;
    for (const _ of validateSteps(value, schema)) steps++;
    t.ok(steps >= 5, `${name}: ${steps} steps`);
  }
  let steps = 0;
  for (const _ of validateSteps(
    many(1000, i => i),
    { items: { minimum: 0 } },
  ))
    steps++;
  t.equal(steps, 0, 'a small value is validated at once');
  t.end();
});

t.test('an object that is compared with many enums is encoded once', t => {
  const value = { list: Array.from({ length: 20_000 }, (_, i) => i) };
  const anyOf = Array.from({ length: 3000 }, (_, i): Schema => ({ enum: [{ a: i }] }));
  const faults = validateValue(value, { type: 'object', anyOf });
  t.same(
    faults.map(({ reason }) => reason),
    ['FieldValueInvalid', 'FieldValueNotSupported'],
  );
  t.same(validateValue(value, { type: 'object', anyOf: [...anyOf, { enum: [value] }] }), []);
  t.end();
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
    t.same(validateValue(text, { minLength: length, maxLength: length }), [], JSON.stringify(text));
    t.equal(validateValue(text, { minLength: length + 1 }).length, 1, `${JSON.stringify(text)} is too short`);
    if (length > 0) t.equal(validateValue(text, { maxLength: length - 1 }).length, 1, `${JSON.stringify(text)}: long`);
  }
  t.end();
});

t.test('validation that exceeds its budget ends with one fault', t => {
  const anyOf = Array.from({ length: 500 }, (_, i) => ({ required: [`r${i}`] }));
  const schema: Schema = { type: 'array', items: { type: 'object', anyOf: [...anyOf, { required: ['a'] }] } };
  const list = Array.from({ length: 20_000 }, () => ({ a: 1 }));
  const [fault, ...more] = validateValue(list, schema);
  t.match(fault?.message, /^Invalid value: validation takes more than \d+ checks/);
  t.same(more, []);
  t.same(validateValue(list.slice(0, 50), schema), [], 'a shorter list is within the budget');
  t.end();
});

t.test('an object is valid, however long the faults of its failed alternatives are', t => {
  const wrong = { type: 'string', enum: ['b'.repeat(100_000)] } as const;
  const schema: Schema = { type: 'array', items: { anyOf: [wrong, { type: 'string' }], type: 'string' } };
  t.same(
    validateValue(
      Array.from({ length: 1000 }, () => 'a'),
      schema,
    ),
    [],
  );
  const bad: Schema = { type: 'array', items: { anyOf: [wrong, { type: 'integer' }], type: 'string' } };
  t.ok(
    validateValue(
      Array.from({ length: 1000 }, () => 'a'),
      bad,
    ).length > 0,
  );
  t.end();
});

t.test('a text that fails a check is not checked again', async t => {
  const report = newReport('');
  let count = 0;
  const isShort = ({ length }: string): boolean => {
    count++;
    return length < 3;
  };
  for (const text of ['long', 'long', 'longer', 'longer', 'ab'])
    t.equal(checkText(isShort, text, report), text === 'ab');
  t.equal(count, 3);
  t.ok(
    checkText(text => text === 'longer', 'longer', report),
    'another check of the same text',
  );
  const expensive: Schema = { type: 'string', pattern: `^(a?){1000}a{1000}$` };
  t.equal(validateValue('a'.repeat(1000), expensive).length, 1, 'a check that takes too many steps fails');
});
