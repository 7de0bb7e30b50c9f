import t from 'tap';
import { Cancelled } from '../../../lib/cel/cancelled.js';
import { type Compiled, compile } from '../../../openapi/cel/environment.js';
import { inTurns, outcomeOf } from '../../../openapi/cel/in-turns.js';
import { jsonValue } from '../../../lib/cel/json-value.js';
import { Pace } from '../../../lib/cel/interpreter/pace.js';
import { dyn } from '../../../lib/cel/types.js';
import { furtherRuleFaults } from '../../../openapi/schema/expressions/cel-validate.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { turnsDuring } from '../../turns.js';

function compiled(source: string): Compiled {
  const found = compile(source, new Map([['x', dyn]]));
  if (!('run' in found)) throw new Error(JSON.stringify(found));
  return found;
}

/** Returns a clock that advances by one millisecond on each read. */
const steppingClock = (): (() => number) => {
  let now = 0;
  return () => now++;
};

t.test('an expression has the same result with and without pauses', async t => {
  const object = { l: Array.from({ length: 3000 }, (_, i) => i), m: { a: 1, b: 2 } };
  for (const source of [
    'x.l.all(i, i >= 0 && i < 3000)',
    'x.l.map(i, i * 2).filter(i, i % 3 == 0).size() == 1000',
    'x.l.exists(i, i == 2999) && x.l.all(i, x.l[i] == i) && x.l.exists_one(i, i == 7)',
    'x.l.all(i, i < 2000) || x.l.exists(i, 1 / (i - 2500) > 1)',
    'cel.bind(a, x.l.map(i, i + 1), a.all(i, i in a.slice(0, 3) || i > 3) && a.size() == x.l.size())',
    'x.m.all(k, x.l.map(i, i + x.m[k]).size() == 3000)',
    'x.l.transformMap(i, v, v).size() == 3000 ? x.l.map(i, string(i)).join(",").size() > 3000 : false',
    'x.l.map(i, x.l[i + 1]).size() > 0',
  ]) {
    const expression = compiled(source);
    const variables = () => jsonValue(object);
    const expected = expression.run(variables);
    const pace = new Pace({ turn: 0, stretch: Infinity, evaluation: Infinity, request: Infinity }, steppingClock);
    let runs = 0;
    const counting: Compiled = {
      ...expression,
      run: (...args) => {
        runs++;
        return expression.run(...args);
      },
    };
    t.same(await inTurns(outcomeOf(counting, variables, pace), pace), expected, source);
    t.ok(runs > 1, `${source}: ${runs} runs`);
  }
});

t.test('an expression that takes too long is cancelled like one that costs too much', async t => {
  const variables = () => jsonValue({ l: Array.from({ length: 3000 }, (_, i) => i) });
  const limits = { turn: Infinity, stretch: Infinity, evaluation: Infinity, request: Infinity };
  for (const [limit, expect] of [
    [{ stretch: 3 }, 'operation cancelled: the expression takes longer than 3 ms without a pause'],
    [{ evaluation: 4 }, 'operation cancelled: the expression takes longer than 4 ms'],
    [{ request: 5 }, 'operation cancelled: the expressions of the request take longer than 5 ms'],
  ] as const) {
    const pace = new Pace({ ...limits, ...limit }, steppingClock);
    const outcome = compiled('x.l.all(i, x.l.all(j, i + j >= 0))').run(variables, { pace });
    t.match(outcome, { error: expect, cancelled: true });
  }
  t.equal(new Cancelled().message, 'operation cancelled: actual cost limit exceeded');
});

t.test('rules over many items yield to the event loop', async t => {
  const schema: Schema = {
    type: 'array',
    items: {
      type: 'object',
      properties: { a: { type: 'integer' }, l: { type: 'array', items: { type: 'integer' } } },
      'x-kubernetes-validations': [
        { rule: 'self.a >= 0' },
        { rule: 'self.l.all(x, x >= self.a)' },
        { rule: 'self.l.exists(x, x == self.a)' },
      ],
    },
  };
  const value = Array.from({ length: 5000 }, () => ({ a: 1, l: Array.from({ length: 30 }, (_, i) => i + 1) }));
  let faults: unknown;
  const { count, longest } = await turnsDuring(100, async () => {
    faults = await furtherRuleFaults([], value, schema, {});
  });
  t.same(faults, []);
  t.ok(count > 5, `${count} turns`);
  t.ok(longest < 100, `${longest} ms`);
});

t.test('one rule over a long list yields to the event loop', async t => {
  const schema: Schema = {
    type: 'array',
    items: { type: 'integer' },
    'x-kubernetes-validations': [{ rule: 'self.all(x, x >= 0 && x < 100000)' }],
  };
  const value = Array.from({ length: 60_000 }, (_, i) => i);
  let faults: unknown;
  const { count, longest } = await turnsDuring(100, async () => {
    faults = await furtherRuleFaults([], value, schema, {});
  });
  t.same(faults, []);
  t.ok(count > 1, `${count} turns`);
  t.ok(longest < 100, `${longest} ms`);
});
