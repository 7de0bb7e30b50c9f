/** Validation of large values and expensive schemas: its time, its steps and its budget of checks. */
import t from 'tap';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { checkText, newReport } from '../../../openapi/schema/validation/report.js';
import { validateSteps } from '../../../openapi/schema/validation/validate.js';
import { cpuCost } from '../../cpu-cost.js';
import { validateBothWays } from './validate-both-ways.js';

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
    const ms = await cpuCost(900, () => (faults = validateBothWays({ l: list }, items(schema)).length));
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
    const [fault, ...more] = validateBothWays(value, schema);
    t.match(fault?.message, /^Invalid value: validation takes more than \d+ checks/, name);
    t.same(more, [], name);
  }
  t.end();
});

t.test('the steps of patterns are bounded for all texts together, and ordinary patterns need few', t => {
  const list = (pattern: string): Schema => ({ type: 'array', items: { type: 'string', pattern } });
  const texts = Array.from({ length: 1000 }, (_, i) => `${'a'.repeat(2900)}${i}`);
  const [fault] = validateBothWays(texts, list('(\\p{L}|\\p{N}|\\p{Lu}|a){0,30}b$'));
  t.match(fault?.message, /^Invalid value: validation takes more than \d+ checks/);
  const names = Array.from({ length: 20_000 }, (_, i) => `name-${i}.example.com`);
  t.same(validateBothWays(names, list('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')), []);
  t.same(validateBothWays(['x'.repeat(3_000_000)], list('^[a-z]*$')), [], 'a text of three megabytes');
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
  const faults = validateBothWays(value, { type: 'object', anyOf });
  t.same(
    faults.map(({ reason }) => reason),
    ['FieldValueInvalid', 'FieldValueNotSupported'],
  );
  t.same(validateBothWays(value, { type: 'object', anyOf: [...anyOf, { enum: [value] }] }), []);
  t.end();
});

t.test('validation that exceeds its budget ends with one fault', t => {
  const anyOf = Array.from({ length: 500 }, (_, i) => ({ required: [`r${i}`] }));
  const schema: Schema = { type: 'array', items: { type: 'object', anyOf: [...anyOf, { required: ['a'] }] } };
  const list = Array.from({ length: 20_000 }, () => ({ a: 1 }));
  const [fault, ...more] = validateBothWays(list, schema);
  t.match(fault?.message, /^Invalid value: validation takes more than \d+ checks/);
  t.same(more, []);
  t.same(validateBothWays(list.slice(0, 50), schema), [], 'a shorter list is within the budget');
  t.end();
});

t.test('an object is valid, however long the faults of its failed alternatives are', t => {
  const wrong = { type: 'string', enum: ['b'.repeat(100_000)] } as const;
  const schema: Schema = { type: 'array', items: { anyOf: [wrong, { type: 'string' }], type: 'string' } };
  t.same(
    validateBothWays(
      Array.from({ length: 1000 }, () => 'a'),
      schema,
    ),
    [],
  );
  const bad: Schema = { type: 'array', items: { anyOf: [wrong, { type: 'integer' }], type: 'string' } };
  t.ok(
    validateBothWays(
      Array.from({ length: 1000 }, () => 'a'),
      bad,
    ).length > 0,
  );
  t.end();
});

t.test('a text that fails a check is not checked again', t => {
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
  t.equal(validateBothWays('a'.repeat(1000), expensive).length, 1, 'a check that takes too many steps fails');
  t.end();
});
