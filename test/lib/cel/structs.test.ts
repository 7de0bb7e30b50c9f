import t from 'tap';
import { type Environment, baseEnvironment, compile } from '../../../openapi/cel/environment.js';
import { StepLimit } from '../../../lib/steps.js';
import { jsonOf, jsonValue } from '../../../lib/cel/json-value.js';
import * as types from '../../../lib/cel/types.js';
import type { Value } from '../../../lib/cel/values.js';

const point: types.Type = {
  kind: 'object',
  name: 'Point',
  field: name => (name === 'x' || name === 'y' ? types.int : name === 'more' ? types.dyn : undefined),
};
const environment: Environment = { ...baseEnvironment, structs: name => (name === 'Point' ? point : undefined) };
const variables = new Map([['d', types.dyn]]);

/** Returns the result of an expression as JSON, or its error. */
function run(source: string, d: unknown = {}): unknown {
  const compiled = compile(source, variables, environment);
  if ('issues' in compiled) return compiled.issues.split('\n')[0]?.slice('ERROR: <input>:'.length);
  if ('instantiation' in compiled) return compiled.instantiation;
  const { value, error } = compiled.run(name => (name === 'd' ? jsonValue(d) : undefined));
  return error ?? jsonOf(value as Value, new StepLimit(Infinity));
}

const cases: { given: string; d?: unknown; expect: unknown }[] = [
  { given: 'Point{x: 1, y: 2}', expect: { x: 1, y: 2 } },
  { given: 'Point{}', expect: {} },
  { given: "{'__proto__': {'x': 1}}", expect: JSON.parse('{"__proto__": {"x": 1}}') as unknown },
  { given: 'Point{x: 1, more: [Point{y: 2}]}', expect: { x: 1, more: [{ y: 2 }] } },
  { given: 'Point{?x: d.?x, ?y: d.?y}', d: { x: 3 }, expect: { x: 3 } },
  { given: 'Point{x: 1}.x + 1', expect: 2 },
  { given: 'has(Point{x: 1}.x) && !has(Point{x: 1}.y)', expect: true },
  { given: 'Point{x: 1} == Point{x: 1} && Point{x: 1} != Point{x: 2}', expect: true },
  { given: 'Point{x: 1}.y', expect: 'no such key: y' },
  { given: 'Point{z: 1}', expect: "1:8: undefined field 'z'" },
  { given: 'Point{x: "a"}', expect: "1:8: expected type of field 'x' is 'int' but provided type is 'string'" },
  { given: 'Point{?x: 1}', expect: "1:11: expected type 'optional_type(int)' but found 'int'" },
  { given: 'Line{x: 1}', expect: "1:5: undeclared reference to 'Line' (in container '')" },
  {
    given: 'd',
    d: { a: [1, 1.5, 'x', null, true], b: { c: {} } },
    expect: { a: [1, 1.5, 'x', null, true], b: { c: {} } },
  },
  { given: 'd.n == 9007199254740991 && d.f == 0.5', d: { n: 9007199254740991, f: 0.5 }, expect: true },
  { given: '{"b": b"abc", "t": timestamp("2026-01-01T00:00:00Z"), "d": duration("90s"), "u": 1u}', expect: 'mixed' },
  {
    given: '[dyn(b"abc"), dyn(timestamp("2026-01-01T00:00:00Z")), dyn(duration("90s")), dyn(1u), dyn(optional.of(1))]',
    expect: ['YWJj', '2026-01-01T00:00:00Z', '90s', 1, 1],
  },
];

for (const { given, d, expect } of cases) {
  const found = run(given, d);
  if (expect === 'mixed') t.match(found, /^1:\d+: expected type 'bytes' but found/, given);
  else t.same(found, expect, given);
}

t.test('the size of a value is counted as cost', async t => {
  const compiled = compile('Point{x: 1, y: 2}', variables, environment);
  t.ok('run' in compiled);
  if ('run' in compiled) t.equal(compiled.run(() => undefined).cost, compiled.estimate(() => undefined).max);
});

t.test('a key of a large map without a schema is found in constant time', t => {
  const compiled = compile('d.m.all(k, d.m[k] == k)', variables, environment);
  const names = Array.from({ length: 30_000 }, (_, i) => `k${i}`);
  const d = jsonValue({ m: Object.fromEntries(names.map(name => [name, name])) });
  t.equal('run' in compiled && compiled.run(() => d).value, true);
  t.end();
});
