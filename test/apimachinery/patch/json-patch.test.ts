import t from 'tap';
import {
  applyJsonPatch,
  decodeJsonPatch,
  unknownJsonPatchFields,
  type JsonPatchOp,
} from '../../../apimachinery/patch/json-patch.js';
import { parsePointer, pointerTokens } from '../../../apimachinery/patch/json-pointer.js';
import { cpuCost } from '../../cpu-cost.js';
import { frozen, rejection } from './support.js';

interface Case {
  readonly name: string;
  readonly doc: unknown;
  readonly ops: readonly JsonPatchOp[];
  /** Unset if the patch is rejected with 422. */
  readonly expect?: unknown;
}

const doc = { a: 1, l: ['x', 'y', 'z'], m: { k: 'v', 'a/b': 1, 'c~d': 2 }, n: null };

const cases: readonly Case[] = [
  {
    name: 'add a key',
    doc,
    ops: [{ op: 'add', path: '/m/q', value: 'w' }],
    expect: { ...doc, m: { ...doc.m, q: 'w' } },
  },
  {
    name: 'add to an existing key replaces',
    doc,
    ops: [{ op: 'add', path: '/a', value: [2] }],
    expect: { ...doc, a: [2] },
  },
  { name: 'add without value is null', doc, ops: [{ op: 'add', path: '/a' }], expect: { ...doc, a: null } },
  {
    name: 'add inserts',
    doc,
    ops: [{ op: 'add', path: '/l/1', value: 'n' }],
    expect: { ...doc, l: ['x', 'n', 'y', 'z'] },
  },
  {
    name: 'add at the end',
    doc,
    ops: [{ op: 'add', path: '/l/3', value: 'n' }],
    expect: { ...doc, l: ['x', 'y', 'z', 'n'] },
  },
  { name: 'add -', doc, ops: [{ op: 'add', path: '/l/-', value: 'n' }], expect: { ...doc, l: ['x', 'y', 'z', 'n'] } },
  {
    name: 'add at -1 is the end',
    doc,
    ops: [{ op: 'add', path: '/l/-1', value: 'n' }],
    expect: { ...doc, l: ['x', 'y', 'z', 'n'] },
  },
  {
    name: 'add at -2',
    doc,
    ops: [{ op: 'add', path: '/l/-2', value: 'n' }],
    expect: { ...doc, l: ['x', 'y', 'n', 'z'] },
  },
  { name: 'add past the end', doc, ops: [{ op: 'add', path: '/l/4', value: 'n' }] },
  { name: 'add below a missing parent', doc, ops: [{ op: 'add', path: '/none/k', value: 'n' }] },
  { name: 'add below a scalar', doc, ops: [{ op: 'add', path: '/a/k', value: 'n' }] },
  { name: 'add below null', doc, ops: [{ op: 'add', path: '/n/k', value: 'n' }] },
  { name: 'add at the root', doc, ops: [{ op: 'add', path: '', value: {} }] },
  {
    name: 'without a leading slash the first token is ignored',
    doc,
    ops: [{ op: 'add', path: 'x/a', value: 2 }],
    expect: { ...doc, a: 2 },
  },
  { name: 'not an index', doc, ops: [{ op: 'add', path: '/l/x', value: 'n' }] },
  { name: 'remove a key', doc: { a: 1, b: 2 }, ops: [{ op: 'remove', path: '/a' }], expect: { b: 2 } },
  { name: 'remove from the end', doc, ops: [{ op: 'remove', path: '/l/-1' }], expect: { ...doc, l: ['x', 'y'] } },
  { name: 'remove a missing key', doc, ops: [{ op: 'remove', path: '/zz' }] },
  { name: 'remove past the end', doc, ops: [{ op: 'remove', path: '/l/3' }] },
  { name: 'replace', doc, ops: [{ op: 'replace', path: '/l/-3', value: 1 }], expect: { ...doc, l: [1, 'y', 'z'] } },
  { name: 'replace a missing key sets it', doc: {}, ops: [{ op: 'replace', path: '/a', value: 1 }], expect: { a: 1 } },
  { name: 'replace a missing index', doc, ops: [{ op: 'replace', path: '/l/3', value: 1 }] },
  { name: 'replace everything', doc, ops: [{ op: 'replace', path: '', value: { z: 1 } }], expect: { z: 1 } },
  { name: 'replace everything by a scalar', doc, ops: [{ op: 'replace', path: '', value: 1 }] },
  {
    name: 'escapes',
    doc: doc.m,
    ops: [
      { op: 'replace', path: '/a~1b', value: 3 },
      { op: 'remove', path: '/c~0d' },
    ],
    expect: { k: 'v', 'a/b': 3 },
  },
  {
    name: 'move',
    doc: { a: { b: 1 }, l: [] },
    ops: [{ op: 'move', from: '/a/b', path: '/l/-' }],
    expect: { a: {}, l: [1] },
  },
  { name: 'move a missing key', doc, ops: [{ op: 'move', from: '/zz', path: '/y' }] },
  { name: 'move without from', doc, ops: [{ op: 'move', path: '/y' }] },
  {
    name: 'copy of a missing key is null',
    doc: {},
    ops: [{ op: 'copy', from: '/zz', path: '/y' }],
    expect: { y: null },
  },
  {
    name: 'a copy does not change with its source',
    doc: { a: { b: 1 } },
    ops: [
      { op: 'add', path: '/a/c', value: 2 },
      { op: 'copy', from: '/a', path: '/d' },
      { op: 'add', path: '/a/c', value: 3 },
    ],
    expect: { a: { b: 1, c: 3 }, d: { b: 1, c: 2 } },
  },
  { name: 'test', doc, ops: [{ op: 'test', path: '/m', value: { 'c~d': 2, 'a/b': 1, k: 'v' } }], expect: doc },
  {
    name: 'test null and missing keys',
    doc,
    ops: [
      { op: 'test', path: '/n', value: null },
      { op: 'test', path: '/zz' },
    ],
    expect: doc,
  },
  { name: 'test the root', doc: { a: 1 }, ops: [{ op: 'test', path: '', value: { a: 1 } }], expect: { a: 1 } },
  { name: 'test fails', doc, ops: [{ op: 'test', path: '/a', value: '1' }] },
  { name: 'test below a missing key', doc, ops: [{ op: 'test', path: '/q/a', value: null }] },
  { name: 'unknown op', doc, ops: [{ op: 'frob', path: '/a' }] },
  { name: 'op from a prototype', doc, ops: [{ op: 'toString', path: '/a' }] },
  { name: 'key of a prototype', doc: {}, ops: [{ op: 'add', path: '/constructor/x', value: 1 }] },
];

for (const c of cases)
  t.test(c.name, t => {
    const ops = frozen(c.ops);
    if (c.expect === undefined) {
      const error = rejection(() => applyJsonPatch(frozen(c.doc), ops));
      t.equal(error.code, 422);
      t.equal(error.message, 'the server rejected our request due to an error in our request');
      t.strictSame(error.status.details, {});
    } else t.strictSame(applyJsonPatch(frozen(c.doc), ops), c.expect);
    t.end();
  });

t.test('unchanged parts are shared', t => {
  const from = frozen({ z: { a: 1 }, b: { c: [1] }, a: 1 });
  const to = applyJsonPatch(from, [{ op: 'add', path: '/b/d', value: 1 }]) as typeof from;
  t.equal(to.z, from.z);
  t.equal(to.b.c, from.b.c);
  t.equal(JSON.stringify(to), '{"a":1,"b":{"c":[1],"d":1},"z":{"a":1}}', 'opened objects are sorted');
  t.equal(applyJsonPatch(from, []), from);
  t.end();
});

t.test('a key named __proto__ is a key', t => {
  const to = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { a: 1 } }]);
  t.equal(JSON.stringify(to), '{"__proto__":{"a":1}}');
  t.end();
});

t.test('too many operations and too large copies are refused', t => {
  const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }));
  t.strictSame(applyJsonPatch({ a: 1 }, many.slice(1)), { a: 1 });
  const error = rejection(() => applyJsonPatch({ a: 1 }, many));
  t.equal(error.code, 413);
  t.match(error.message, /The allowed maximum operations in a JSON patch is 10000, got 10001$/);
  const half = 'x'.repeat(1024 * 1024);
  const copies = [1, 2, 3].map(i => ({ op: 'copy', from: '/a', path: `/b${i}` }));
  t.ok(applyJsonPatch({ a: half }, copies.slice(1)));
  t.equal(rejection(() => applyJsonPatch({ a: half }, copies)).code, 422);
  t.end();
});

t.test('decoding has the errors of upstream', t => {
  const texts: readonly (readonly [unknown, string])[] = [
    [{}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: true }],
      'error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.op of type string',
    ],
  ];
  for (const [body, text] of texts) t.equal(rejection(() => decodeJsonPatch(body)).message, text);
  t.equal(
    rejection(() => decodeJsonPatch({}, 'unchecked')).message,
    'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
  );
  t.strictSame(decodeJsonPatch(null), []);
  t.equal(rejection(() => applyJsonPatch({}, decodeJsonPatch([null]))).code, 422);
  t.equal(rejection(() => applyJsonPatch({}, decodeJsonPatch([{ op: 'add', value: 1 }]))).code, 422);
  const ops = decodeJsonPatch([{ op: 'test', path: '/a', foo: 1 }]);
  t.strictSame(unknownJsonPatchFields(ops), ['json patch unknown field "[0].foo"']);
  t.end();
});

t.test('long lists are patched like short ones', t => {
  let state = 11;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const list = Array.from({ length: 6000 }, (_, i) => ({ i }));
  const expected: unknown[] = [...list];
  const ops: JsonPatchOp[] = [];
  for (let n = 0; n < 9000; n++) {
    const at = draw(expected.length);
    switch (draw(5)) {
      case 0:
        ops.push({ op: 'add', path: `/l/${at}`, value: n });
        expected.splice(at, 0, n);
        break;
      case 1:
        ops.push({ op: 'remove', path: `/l/${at - expected.length}` });
        expected.splice(at, 1);
        break;
      case 2:
        ops.push({ op: 'replace', path: `/l/${at}`, value: [n] });
        expected[at] = [n];
        break;
      case 3: {
        const to = draw(expected.length);
        ops.push({ op: 'move', from: `/l/${at}`, path: `/l/${to}` });
        expected.splice(to, 0, ...expected.splice(at, 1));
        break;
      }
      default:
        ops.push({ op: 'copy', from: `/l/${at}`, path: '/l/-' });
        expected.push(expected[at]);
    }
  }
  const before = JSON.stringify(list);
  t.same(applyJsonPatch({ l: list }, ops), { l: expected });
  t.equal(JSON.stringify(list), before, 'the document is not changed');
  const whole = { op: 'test', path: '/l', value: expected };
  t.ok(applyJsonPatch({ l: list }, [...ops, whole]), 'and compared');
  t.throws(() => applyJsonPatch({ l: list }, [...ops, { ...whole, value: expected.slice(1) }]));
  t.same(applyJsonPatch({ l: list }, [...ops, { op: 'copy', from: '/l', path: '/m' }]), { l: expected, m: expected });
  const empty = Array.from(list, () => ({ op: 'remove', path: '/l/0' }));
  t.same(applyJsonPatch({ l: list }, [...empty, { op: 'add', path: '/l/-', value: 1 }]), { l: [1] });
  t.end();
});

t.test('ten thousand operations at the beginning of the longest list are fast', async t => {
  const doc = { l: Array.from({ length: 700_000 }, () => 1) };
  for (const op of [
    { op: 'add', path: '/l/0', value: 2 },
    { op: 'remove', path: '/l/0' },
    { op: 'move', from: '/l/-1', path: '/l/0' },
  ]) {
    const ms = await cpuCost(600, () => applyJsonPatch(doc, Array<JsonPatchOp>(10_000).fill(op)));
    t.ok(ms < 600, `${op.op}: ${Math.round(ms)} ms`);
  }
});

t.test('operations that repeatedly move a large part of a deep document are refused', t => {
  let deep: Record<string, unknown> = {};
  for (let depth = 0; depth < 490; depth++) deep = { a: deep };
  const wide = { deep, list: Array.from({ length: 40_000 }, () => [0]) };
  const moves = (count: number): JsonPatchOp[] =>
    Array.from({ length: count }, (_, i) => (i % 2 === 0 ? '/x /y' : '/y /x').split(' ')).map(
      ([from = '', path = '']) => ({
        ...{ op: 'move', from, path },
      }),
    );
  t.doesNotThrow(() => applyJsonPatch({ x: wide }, moves(5)), 'some');
  t.doesNotThrow(() => applyJsonPatch({ x: { deep } }, moves(1000)), 'many of little');
  t.throws(() => applyJsonPatch({ x: wide }, moves(10_000)), {
    message: 'Request entity too large: the JSON patch moves too large a part of the object too often',
  });
  t.end();
});

t.test('pointerTokens yields the tokens of parsePointer', async t => {
  const pointers: readonly (readonly [string, readonly string[]])[] = [
    ['', []],
    ['a', []],
    ['/', ['']],
    ['/a', ['a']],
    ['x/a/b', ['a', 'b']],
    ['/a//b/', ['a', '', 'b', '']],
    ['/a~1b/~0/~01/~10/~2/~', ['a/b', '~', '~1', '/0', '~2', '~']],
    [`/${'~1~0~01~10~2~~1\ud800ü'.repeat(200)}~`, [`${'/~~1/0~2~/\ud800ü'.repeat(200)}~`]],
  ];
  for (const [pointer, tokens] of pointers) {
    t.strictSame(parsePointer(pointer), tokens, pointer);
    t.strictSame(
      [...pointerTokens(pointer)],
      tokens.map((token, i) => ({ token, isLast: i === tokens.length - 1 })),
      pointer,
    );
  }
});
