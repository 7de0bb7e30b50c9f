/** What arguments become in Lua, and results in JSON: numbers, lists and objects, null, depth, and the bounds of a result. */
import t from 'tap';
import { emptyPlaces, placeOf } from '../../../../controllers/interpreter/lua/empty-places.js';
import type { ResultLimits } from '../../../../controllers/interpreter/lua/interface.js';
import { pushJson } from '../../../../controllers/interpreter/lua/push.js';
import { ConversionError, luaTypeAt, ResultReader } from '../../../../controllers/interpreter/lua/read.js';
import { loadLuaBinary, LuaEngine } from '../../../../lib/lua/engine.js';

const mebibyte = 1024 * 1024;
const engine = new LuaEngine(loadLuaBinary(), 64 * mebibyte);
const { api } = engine;
const L = api.luaL_newstate();
const ample: ResultLimits = { resultLength: 16 * mebibyte, resultValues: 100_000 };

/** Returns the JSON of what is on top of the stack, which is empty then. */
function read(limits = ample, references: readonly unknown[] = []): string {
  try {
    return new ResultReader(engine, limits, emptyPlaces(references)).read(L, '{}');
  } finally {
    api.lua_settop(L, 0);
  }
}

function roundTrip(value: unknown, limits = ample, references: readonly unknown[] = [value]): unknown {
  pushJson(engine, L, value);
  return JSON.parse(read(limits, references));
}

/** Puts tables into each other, so many. */
function nested(depth: number): void {
  api.lua_createtable(L, 0, 0);
  for (let i = 1; i < depth; i++) {
    api.lua_createtable(L, 1, 0);
    api.lua_insert(L, -2);
    api.lua_rawseti(L, -2, 1);
  }
}

t.test('values come back as they went', async t => {
  const values = [
    ...[true, false, 0, -1, 0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 53, '', 'é😀', 'a\0b'],
    ...[
      '\ufeffmarked',
      { '\ufeffkey': 1, '': 2 },
      [[1], [[2]]],
      { a: { b: [{ c: 'd' }] } },
      {},
      { list: [], object: {} },
    ],
  ];
  for (const value of values) t.strictSame(roundTrip(value), value, JSON.stringify(value));
  t.equal(roundTrip(-0), 0, 'JSON of upstream has no negative zero either');
});

t.test('integers beyond 2^53 become the nearest double, as in gopher-lua', async t => {
  t.equal(roundTrip(9_223_372_036_854_775_807n), 2 ** 63);
  t.equal(roundTrip(9_007_199_254_740_993n), 9_007_199_254_740_992);
  t.equal(roundTrip(-9_007_199_254_740_991n), -9_007_199_254_740_991);
});

t.test('null is left out', async t => {
  t.strictSame(roundTrip([null, 1, null, 2]), [1, 2]);
  t.strictSame(roundTrip({ a: null, b: undefined, c: 1 }), { c: 1 });
  pushJson(engine, L, null);
  t.equal(luaTypeAt(engine, L, -1), 'nil');
  t.equal(read(), 'null');
});

t.test('empty tables take their form from the references', async t => {
  const given = { list: [], object: {}, items: [{ labels: {} }, { labels: {} }], 'a.b': {}, a: { b: [] } };
  t.strictSame(roundTrip(given), given);
  t.strictSame(roundTrip(given, ample, []), { items: [{}, {}], a: {} }, 'without references they are left out');
  const { objects, lists } = emptyPlaces([{ x: {} }, { x: [] }, null, 1]);
  t.strictSame([[...objects], [...lists]], [[placeOf('', 'x')], [placeOf('', 'x')]]);
  t.strictSame(roundTrip({ x: [] }, ample, [{ x: {} }, { x: [] }]), { x: {} }, 'the object wins. as upstream');
});

t.test('lists need the numbers from 1', async t => {
  const keys: readonly (readonly [readonly number[], RegExp | string])[] = [
    [[2, 1], '["v2","v1"]'],
    [[3, 1, 2], '["v2","v3","v1"]'],
    [[2], /sparse array/],
    [[0, 1], /sparse array/],
    [[-1], /sparse array/],
    [[1.5, 1], /sparse array/],
    [[2 ** 53], /sparse array/],
    [[Infinity], /sparse array/],
  ];
  for (const [order, expected] of keys) {
    api.lua_createtable(L, 0, 0);
    order.forEach((key, i) => {
      api.lua_pushnumber(L, key);
      engine.pushText(L, `v${i + 1}`);
      api.lua_rawset(L, -3);
    });
    if (typeof expected === 'string') t.equal(read(), expected, String(order));
    else t.throws(() => read(), { message: expected }, String(order));
  }
});

t.test('numbers that JSON has not are named as in Go', async t => {
  for (const [value, name] of [
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ] as const) {
    api.lua_pushnumber(L, value);
    t.throws(() => read(), new ConversionError(`unsupported value: ${name}`));
  }
});

t.test('depth has a bound', async t => {
  nested(501);
  t.equal(read(), `${'['.repeat(500)}${']'.repeat(500)}`);
  nested(502);
  t.throws(() => read(), { message: 'tables are nested more than 500 times' });
});

t.test('an argument may be nested as deep as its JSON', async t => {
  const depth = 2_000;
  const value: unknown = JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
  pushJson(engine, L, value);
  t.equal(luaTypeAt(engine, L, -1), 'table');
  api.lua_settop(L, 0);
});

t.test('length and number of values have bounds', async t => {
  t.throws(() => roundTrip([1, 2, 3], { ...ample, resultValues: 3 }), { message: 'the result has more than 3 values' });
  t.strictSame(roundTrip([1, 2], { ...ample, resultValues: 3 }), [1, 2]);
  const long = { message: 'the result has more than 10 characters of JSON' };
  for (const value of [['x'.repeat(8)], { ['k'.repeat(9)]: 1 }, [12_345, 123_456]])
    t.throws(() => roundTrip(value, { ...ample, resultLength: 10 }), long);
  t.strictSame(roundTrip(['x'.repeat(6)], { ...ample, resultLength: 10 }), ['xxxxxx']);
});

t.test('a text is never cut', async t => {
  const message = 'the result has a text of more than 4194304 bytes';
  // The characters alone are fewer than a result may have.
  t.throws(() => roundTrip('€'.repeat(1_400_000), { ...ample, resultLength: 2 * mebibyte }), { message });
  t.throws(() => roundTrip({ ['€'.repeat(1_400_000)]: 1 }), { message });
  const fits = '€'.repeat(1_398_101);
  t.equal(roundTrip(fits), fits);
});
