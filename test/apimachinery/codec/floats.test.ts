import t from 'tap';
import { Literal } from '../../../lib/json/literal.js';
import { type Floats, floatsIn, withFloats } from '../../../apimachinery/codec/floats.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

t.test('whole numbers in the notation of floats are found', async t => {
  const rows: readonly { readonly text: string; readonly expect: Floats }[] = [
    { text: '{"a":1,"b":1.5,"c":"1.0","d":-0}', expect: [] },
    { text: '{"a":1.0,"b":{"c":[1,2.00 ,-0.0]}}', expect: [['a'], ['b', 'c', '1'], ['b', 'c', '2']] },
    { text: '{"a":1e3,"b":15e-1,"c":1E+2}', expect: [['a'], ['c']] },
    { text: '{"a":1e18,"b":1e19,"c":1e400}', expect: [['a']] },
    { text: '{"a":1.0\n}', expect: [['a']] },
  ];
  for (const { text, expect } of rows) t.strictSame(floatsIn(text), expect, text);
});

t.test('Literals replace numbers where the schema has ints', async t => {
  const int: Schema = { type: 'integer' };
  const schema: Schema = {
    type: 'object',
    properties: {
      int,
      number: { type: 'number' },
      either: { 'x-kubernetes-int-or-string': true },
      list: { type: 'array', items: int },
      map: { type: 'object', additionalProperties: int },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  const value = { int: 1, number: 1, either: 1, list: [1, 2], map: { a: 1, b: 2 }, free: { int: 1 }, text: 'x' };
  const one = new Literal('1');
  const rows: readonly { readonly path: readonly string[]; readonly expect: object }[] = [
    { path: ['int'], expect: { ...value, int: one } },
    { path: ['number'], expect: value },
    { path: ['either'], expect: { ...value, either: one } },
    { path: ['list', '0'], expect: { ...value, list: [one, 2] } },
    { path: ['map', 'a'], expect: { ...value, map: { a: one, b: 2 } } },
    { path: ['free', 'int'], expect: value },
    { path: ['int', 'deeper'], expect: value },
    { path: ['gone'], expect: value },
  ];
  for (const { path, expect } of rows) t.strictSame(withFloats(value, [path], schema), expect, path.join('.'));
  t.equal(withFloats(value, [], schema), value);
  t.strictSame(withFloats(value, [['int'], ['map', 'a']], schema), { ...value, int: one, map: { a: one, b: 2 } });
  t.equal(withFloats({ int: 'x' }, [['int']], schema).int, 'x', 'a value that admission has changed');
});
