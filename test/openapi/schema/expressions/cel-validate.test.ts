import t from 'tap';
import type { Fault, StatusCause } from '../../../../apimachinery/interface.js';
import { cloneJson } from '../../../../lib/json/clone.js';
import { causesOf } from '../../../../apimachinery/errors/status.js';
import { type JsonPatchOp, applyJsonPatch } from '../../../../apimachinery/patch/json-patch.js';
import { applyMergePatch } from '../../../../apimachinery/patch/merge-patch.js';
import { furtherRuleFaults, ruleFaults } from '../../../../openapi/schema/expressions/cel-validate.js';
import { correlate } from '../../../../apimachinery/codec/correlation.js';
import { applyDefaults } from '../../../../openapi/schema/default.js';
import type { Schema, ValidationRule } from '../../../../apimachinery/codec/interface.js';
import { validateValue } from '../../../../openapi/schema/validation/validate.js';
import { recorded } from '../../../data.js';

type Plain = Record<string, unknown>;

interface Step {
  do?: string;
  body?: Plain | JsonPatchOp[];
  want?: { status?: number; body?: { details?: { causes?: StatusCause[] } } };
}

interface Definition {
  spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
}

async function faultsOf(object: Plain, old: Plain | undefined, schema: Schema): Promise<Fault[]> {
  const correlation = old && correlate(object, old, schema);
  const found = validateValue(object, schema, correlation && { old: correlation });
  const options = { root: true, ...(old && { old }), ...(correlation && { correlation }) };
  return [...found, ...(await furtherRuleFaults(found, object, schema, options))];
}

t.test('recorded custom resources with rules have the faults of kube-apiserver', async t => {
  const { cases } = recorded('corpus/crd.json') as { cases: { name: string; steps: Step[] }[] };
  let compared = 0;
  for (const { name, steps } of cases) {
    if (!name.startsWith('live/cel/')) continue;
    let definition = cloneJson(steps[0]?.body) as unknown as Definition;
    let stored: Plain | undefined;
    for (const { do: line = '', body, want } of steps.slice(1)) {
      if (Array.isArray(body)) definition = applyJsonPatch(definition, body) as Definition;
      if (!body || Array.isArray(body)) continue;
      const schema = cloneJson(definition.spec.versions[0]?.schema.openAPIV3Schema) as Schema;
      const old = line.startsWith('PATCH') ? stored : undefined;
      const object = old ? applyMergePatch(old, body) : cloneJson(body);
      applyDefaults(object, schema);
      const faults = await faultsOf(object, old, schema);
      t.same(causesOf(faults), want?.body?.details?.causes ?? [], `${name} ${line}`);
      if (faults.length === 0) stored = object;
      compared++;
    }
  }
  t.ok(compared >= 35, `${compared} compared`);
});

const rule = (text: string, more: Partial<ValidationRule> = {}): Schema => ({
  'x-kubernetes-validations': [{ rule: text, ...more }],
});

const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});

const integer: Schema = { type: 'integer' };
const text: Schema = { type: 'string' };

interface Case {
  name: string;
  schema: Schema;
  value: unknown;
  old?: unknown;
  expect: string[];
}

const textsOf = (faults: readonly Fault[]): string[] => faults.map(f => `${f.path}: ${f.message}`);

const cases: Case[] = [
  {
    name: 'rules in maps and lists',
    schema: object({
      m: { type: 'object', additionalProperties: { ...integer, ...rule('self > 0') } },
      l: { type: 'array', items: object({ n: integer }, rule('self.n > 0')) },
    }),
    value: { m: { a: 1, b: 0 }, l: [{ n: 1 }, { n: -1 }] },
    expect: ['m[b]: Invalid value: 0: failed rule: self > 0', 'l[1]: Invalid value: failed rule: self.n > 0'],
  },
  {
    name: 'names that are not identifiers',
    schema: object(
      { 'a-b': integer, 'c.d/e': integer, namespace: integer, f__g: integer, é: { ...integer, ...rule('self == 2') } },
      rule('self.a__dash__b + self.c__dot__d__slash__e + self.__namespace__ + self.f__underscores__g == 10'),
    ),
    value: { 'a-b': 1, 'c.d/e': 2, namespace: 3, f__g: 4, é: 1 },
    expect: ['é: Invalid value: 1: failed rule: self == 2'],
  },
  {
    name: 'items of a list map are correlated by key',
    schema: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: object({ k: text, v: integer }, rule('self.v >= oldSelf.v', { message: 'only up' })),
    },
    old: [
      { k: 'a', v: 2 },
      { k: 'b', v: 2 },
    ],
    value: [
      { k: 'b', v: 1 },
      { k: 'c', v: 0 },
      { k: 'a', v: 3 },
    ],
    expect: ['[0]: Invalid value: only up'],
  },
  {
    name: 'null is absent in an object, and null in a list',
    schema: object(
      { a: { ...integer, nullable: true }, l: { type: 'array', items: { ...integer, nullable: true } } },
      rule('!has(self.a) && type(self.l[0]) == null_type && self.l.exists(x, x == 2)'),
    ),
    value: { a: null, l: [null, 2] },
    expect: [],
  },
  {
    name: 'an overload that depends on the value',
    schema: object({ x: { 'x-kubernetes-int-or-string': true } }, rule('self.x + 1 > 2')),
    value: { x: 'a' },
    expect: [
      ': Invalid value: "object": \'no such overload: _+_(string, int)\': call arguments did not match a supported operator, function or macro signature for rule: self.x + 1 > 2',
    ],
  },
  {
    name: 'absent fields and items',
    schema: object(
      { x: integer, l: { type: 'array', items: integer } },
      {
        'x-kubernetes-validations': [{ rule: 'self.x > 1' }, { rule: 'self.l[1] > 0', message: ' short ' }],
      },
    ),
    value: { l: [1] },
    expect: [
      ': Invalid value: "object": no such key: x evaluating rule: self.x > 1',
      ': Invalid value: "object": index out of bounds: 1 evaluating rule: short',
    ],
  },
  {
    name: 'messages are trimmed; invalid ones are replaced',
    schema: object(
      { n: integer },
      {
        'x-kubernetes-validations': [
          { rule: 'self.n > 9', messageExpression: "' n is ' + string(self.n) + ' '" },
          { rule: 'self.n > 9', messageExpression: "''", message: 'fallback' },
          { rule: 'self.n > 9', messageExpression: "'a\\nb'" },
          {
            rule: 'self.n > 9',
            messageExpression: 'string(1 / (self.n - 1))',
            reason: 'FieldValueForbidden',
            fieldPath: '.n',
          },
        ],
      },
    ),
    value: { n: 1 },
    expect: [
      ': Invalid value: n is 1',
      ': Invalid value: fallback',
      ': Invalid value: failed rule: self.n > 9',
      'n: Forbidden: failed rule: self.n > 9',
    ],
  },
  {
    name: 'a rule that costs too much stops all rules',
    schema: object(
      { l: { type: 'array', items: integer }, n: { ...integer, ...rule('self > 9') } },
      rule('self.l.all(x, x >= 0 && x + 1 > 0)'),
    ),
    value: { n: 1, l: Array.from({ length: 150_000 }, (_, i) => i) },
    expect: [
      ': Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(x, x >= 0 && x + 1 > 0)',
    ],
  },
  {
    name: 'all rules together cost too much',
    schema: {
      type: 'array',
      items: { type: 'array', items: integer, ...rule('self.all(x, x >= 0 && x >= 0 && x >= 0)') },
    },
    value: Array.from({ length: 20 }, () => Array.from({ length: 60_000 }, () => 1)),
    expect: [
      '[18]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ],
  },
  {
    name: 'rules inside of all of',
    schema: object({ n: integer }, { allOf: [{ properties: { n: rule('self > 1') }, ...rule('self.n > 2') }] }),
    value: { n: 1 },
    expect: [': Invalid value: failed rule: self.n > 2', 'n: Invalid value: 1: failed rule: self > 1'],
  },
  {
    name: 'sets are equal in any order, and united',
    schema: object(
      { s: { type: 'array', 'x-kubernetes-list-type': 'set', items: text } },
      rule("self.s == ['b', 'a'] && (self.s + ['b', 'c']).size() == 3"),
    ),
    value: { s: ['a', 'b'] },
    expect: [],
  },
  {
    name: 'formats are types',
    schema: object(
      { d: { ...text, format: 'duration' }, t: { ...text, format: 'date-time' }, b: { ...text, format: 'byte' } },
      rule("self.d < duration('2h') && self.t.getFullYear() == 2024 && self.b == b'AB'"),
    ),
    value: { d: '1h', t: '2024-02-03T04:05:06Z', b: 'QUI=' },
    expect: [],
  },
  {
    name: 'values without a schema can be compared',
    schema: object({}, { 'x-kubernetes-preserve-unknown-fields': true, ...rule('self == oldSelf') }),
    value: { a: { b: 1 } },
    old: { a: { b: 2 } },
    expect: [': Invalid value: failed rule: self == oldSelf'],
  },
  {
    name: 'a rule with oldSelf is skipped without an old value',
    schema: object({ n: { ...integer, ...rule('self == oldSelf') } }),
    value: { n: 1 },
    old: {},
    expect: [],
  },
];

t.test('rules are evaluated', async t => {
  for (const { name, schema, value, old, expect } of cases) {
    const faults = await furtherRuleFaults([], value, schema, old === undefined ? {} : { old });
    t.same(
      textsOf(faults),
      expect.map(line => line.replace(/^: /, '<nil>: ')),
      name,
    );
  }
});

t.test('faults of unchanged values are warnings', async t => {
  const schema = object({ n: { ...integer, ...rule('self < 5') }, m: integer });
  const [old, value] = [
    { n: 7, m: 1 },
    { n: 7, m: 2 },
  ];
  const warnings: string[] = [];
  const options = { old, correlation: correlate(value, old, schema), warn: (w: string) => warnings.push(w) };
  t.same(ruleFaults(value, schema, options), []);
  t.same(warnings, ['n: Invalid value: 7: failed rule: self < 5']);
  const changed = { n: 8, m: 1 };
  t.same(textsOf(ruleFaults(changed, schema, { old, correlation: correlate(changed, old, schema) })), [
    'n: Invalid value: 8: failed rule: self < 5',
  ]);
});

t.test('rules are not evaluated for values of the wrong type', async t => {
  const schema = object({ n: integer }, rule('self.n > 1'));
  const value = { n: 'x' };
  const found = validateValue(value, schema);
  t.same(textsOf(await furtherRuleFaults(found, value, schema, {})), [
    '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  ]);
  t.same(furtherRuleFaults(found, value, object({ n: integer }), {}), [], 'no rules, no fault');
});

t.test('lookups in large maps and lists are fast', async t => {
  const names = Array.from({ length: 30_000 }, (_, i) => `k${i}`);
  const schema = object(
    { m: { type: 'object', additionalProperties: text, maxProperties: 30_000 }, l: { type: 'array', items: text } },
    rule('self.m.all(k, self.m[k] == k) && self.l.all(k, k in self.m)'),
  );
  t.same(await faultsOf({ m: Object.fromEntries(names.map(name => [name, name])), l: names }, undefined, schema), []);
});
