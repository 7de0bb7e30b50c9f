import t from 'tap';
import { celValue, declare } from '../../../openapi/schema/expressions/cel-types.js';
import { compile } from '../../../openapi/cel/environment.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

const integers: Schema = { type: 'array', items: { type: 'integer' } };
const schema: Schema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    s: { type: 'string', maxLength: 10 },
    long: { type: 'string' },
    l: { ...integers, maxItems: 5 },
    free: integers,
    m: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 4 } },
    o: { type: 'object', properties: { e: { type: 'string', enum: ['a', 'abc'] } } },
    p: {
      type: 'array',
      maxItems: 2,
      items: { type: 'object', properties: { s: { type: 'string' } } },
    },
  },
};
const value = {
  n: 5,
  s: '0123456789',
  long: 'x'.repeat(100),
  l: [1, 2, 3],
  m: { a: 'b', c: 'd' },
  o: { e: 'abc' },
  p: [{ s: 'ab' }],
};
const declared = declare(schema, false);

/** Expressions with their actual cost and the estimate of their largest cost. */
const cases: { given: string; cost: number; max: number }[] = [
  { given: 'self.n == 5', cost: 3, max: 2 },
  { given: 'self.o.e == "abc"', cost: 4, max: 4 },
  { given: 'self.s.startsWith("0")', cost: 3, max: 3 },
  { given: 'self.long.startsWith(self.long)', cost: 14, max: 314_577 },
  { given: 'self.s.matches("[0-9]+")', cost: 6, max: 12 },
  { given: '!self.long.contains(self.s)', cost: 15, max: 1_258_297 },
  { given: 'has(self.o.e)', cost: 2, max: 2 },
  { given: 'self.l.all(x, x > 0)', cost: 18, max: 28 },
  { given: 'self.l.exists(x, x == 1)', cost: 12, max: 28 },
  { given: 'self.l.map(x, x * 2).size() == 3', cost: 47, max: 85 },
  { given: 'self.free.all(x, true)', cost: 3, max: 4_718_592 },
  { given: 'self.m.all(k, self.m[k] != "z")', cost: 17, max: 27 },
  { given: 'self.l == [1, 2, 3]', cost: 3, max: 13 },
  { given: 'self.n in [1, 5]', cost: 2, max: 14 },
  { given: 'true ? self.n == 5 : self.l.all(x, x > 0)', cost: 3, max: 28 },
  { given: 'quantity("1").isLessThan(quantity("2"))', cost: 3, max: 3 },
  { given: 'self.l.sort() == self.l', cost: 34, max: 66 },
  { given: 'self.p[0].s.matches("[a-z]+")', cost: 6, max: 629_150 },
  // In a list that the expression made, a field is as large as the field of `self` with the same name.
  { given: 'self.p.filter(x, true)[0].s.matches("[a-z]+")', cost: 21, max: 51 },
];

t.test('actual and estimated costs are those of cel-go', async t => {
  for (const { given, cost, max } of cases) {
    if (!declared) throw new Error('no type');
    const compiled = compile(given, new Map([['self', declared.type]]));
    if (!('run' in compiled)) throw new Error(JSON.stringify(compiled));
    const withFree = { ...value, free: [] };
    const outcome = compiled.run(name => (name === 'self' ? celValue(withFree, schema) : undefined));
    t.match(outcome, { value: true, cost }, `${given} costs`);
    t.equal(compiled.estimate(() => declared.sizes).max, max, `${given} has this estimate`);
  }
});
