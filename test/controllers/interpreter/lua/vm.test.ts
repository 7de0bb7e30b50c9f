/** Scripts in a VM of this thread: what they find, what their results become, and the limits that the VM itself keeps. */
import t from 'tap';
import { loadLuaBinary } from '../../../../lib/lua/engine.js';
import type { LuaLimits, LuaOutcome } from '../../../../controllers/interpreter/lua/interface.js';
import { writeLuaOutcome } from '../../../../controllers/interpreter/lua/task-messages.js';
import { LuaVm } from '../../../../controllers/interpreter/lua/vm.js';

const mebibyte = 1024 * 1024;
const limits: LuaLimits = { instructions: 1e9, memory: 48 * mebibyte, resultLength: mebibyte, resultValues: 1_000 };
const binary = loadLuaBinary();
const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);
const openVm = (changes: Partial<LuaLimits> = {}, ticks = () => performance.now()): LuaVm =>
  new LuaVm({ binary, limits: { ...limits, ...changes }, now, elapsed: ticks, random: () => 0.5 });

/** Milliseconds that no ordinary script takes. */
const ampleMs = 60_000;

const vm = openVm();

function run(script: string, args: readonly unknown[] = [], references: readonly number[] = []): LuaOutcome {
  return vm.run({ script, name: 'F', args, results: [{ empty: 'object', references }] }, ampleMs);
}

const valueOf = (outcome: LuaOutcome): unknown => ('results' in outcome ? outcome.results[0]?.value : outcome);
const messageOf = (outcome: LuaOutcome): unknown => ('failure' in outcome ? outcome.message : outcome);
const returning = (expression: string, ...args: unknown[]): unknown =>
  valueOf(run(`local kube = require('kube') function F(o) return ${expression} end`, args));

t.test('values come back as they went', async t => {
  const object = { a: 1, b: [1, 'x', true], c: { d: 'é', e: -0.5, '': 'empty key' }, big: 1e15 };
  t.strictSame(valueOf(run('function F(o) return o end', [object])), object);
  t.strictSame(returning('o.list', { list: [1, null, 2] }), [1, 2], 'null is left out of a list');
  t.equal(returning('o.absent == nil', { absent: null }), true);
  t.strictSame(
    valueOf(run('function F(o) return o end', [JSON.parse('{"__proto__": {"a": 1}}')])),
    JSON.parse('{"__proto__": {"a": 1}}'),
  );
});

t.test('empty tables take the form of an argument, or are left out', async t => {
  const object = { object: {}, list: [], items: [{ labels: {} }], 'a.b': {} };
  t.strictSame(valueOf(run('function F(o) return o end', [object], [0])), object);
  t.strictSame(valueOf(run('function F(o) o.new = {} return o end', [object], [0])), object, 'a new one is left out');
  t.strictSame(valueOf(run('function F(o) return o end', [object])), { items: [{}] });
  t.strictSame(valueOf(run('function F() return {} end')), {});
});

t.test('results that JSON cannot express are refused', async t => {
  const table = [
    ['local t = {} t.t = t return t', 'cannot encode recursively nested tables to JSON'],
    ['local t = {1} return {a = t, b = t}', 'cannot encode recursively nested tables to JSON'],
    ['return {[1] = 1, [3] = 3}', 'cannot encode sparse array'],
    ['return {1, a = 2}', 'cannot encode mixed or invalid key types'],
    ['return {[true] = 1}', 'cannot encode mixed or invalid key types'],
    ['return {f = F}', 'cannot encode function to JSON'],
    ['return {0/0}', 'unsupported value: NaN'],
    ['local t = {} for i = 1, 1000 do t = {t} end return t', /nested more than/],
    ['local s = "x" for i = 1, 20 do s = s .. s end return {s}', /more than 1048576 characters/],
    ['local t = {} for i = 1, 1e3 do t[i] = 1 end return t', /more than 1000 values/],
    ['local t = {} for i = 1, 1e3 do t["a" .. i] = 1 end return t', /more than 1000 values/],
    ['local t = {} for i = 1, 1e3 do t[i] = {} end return t', /more than 1000 values/],
  ] as const;
  for (const [body, expected] of table) {
    const message = messageOf(run(`function F() ${body} end`));
    t.match(message, expected, body);
    t.match(message, /^encode lua result to json failed: /);
  }
  const many = 'local t = {} for i = 1, 999 do t[i] = i end return t';
  t.match(valueOf(run(`function F() ${many} end`)), { length: 999 }, 'the VM goes on');
});

t.test('numbers are printed as in gopher-lua', async t => {
  const table = [
    ['tostring(1e14)', '100000000000000'],
    ['1e14 .. ""', '100000000000000'],
    ['tostring(1e18)', '1000000000000000000'],
    ['tostring(6 / 2)', '3'],
    ['tostring(0.1 + 0.2)', '0.30000000000000004'],
    ['tostring(1234567.5)', '1.2345675e+06'],
    ['tostring(1 / 0)', '+Inf'],
    ['string.format("%d|%5.2f|%-4s|%03d|%x", 3, 2.5, "a", 7, 255)', '3| 2.50|a   |007|ff'],
    ['string.format("%s %s %v", nil, true, 1.5)', 'nil true 1.5'],
    ['string.format("%d")', '%!d(MISSING)'],
    ['string.format("100%%")', '100%'],
    ['string.format("%q", "a")', '"a"'],
    ['os.date("!%Y-%m-%dT%H:%M:%SZ")', '2026-01-02T03:04:05Z'],
    ['os.time()', Date.UTC(2026, 0, 2, 3, 4, 5) / 1000],
  ] as const;
  for (const [expression, expected] of table) t.equal(returning(expression), expected, expression);
});

t.test('texts are numbers as in gopher-lua', async t => {
  const table = [
    ['tonumber("1e3")', undefined],
    ['tonumber("nan")', undefined],
    ['tonumber("inf")', undefined],
    ['tonumber("")', undefined],
    ['tonumber("1 2")', undefined],
    ['tonumber("9223372036854775808")', undefined],
    ['tonumber("1.0e999")', undefined],
    ['tonumber({})', undefined],
    ['tonumber("8", 8)', undefined],
    ['tonumber("0x10", 16)', undefined],
    ['tonumber("1.5e3")', 1_500],
    ['tonumber(" 010\\n")', 10],
    ['tonumber("-5")', -5],
    ['tonumber("0xfF")', 255],
    ['tonumber("ff", 16)', 255],
    ['tonumber(2.5, 16)', 2.5],
  ] as const;
  for (const [expression, expected] of table) t.equal(returning(expression), expected, expression);
  t.equal(messageOf(run('function F() tonumber() end')), '<string>:1: bad argument #1 to tonumber (value expected)');
});

t.test('the known differences to gopher-lua', async t => {
  const table = [
    ['"010" + 1', 11],
    ['#{1, nil, 3, nil}', 1],
    ['1e15 .. ""', '1e+15'],
    ['string.upper("é")', 'é'],
  ] as const;
  for (const [expression, expected] of table) t.equal(returning(expression), expected, expression);
});

t.test('lists are changed as in gopher-lua', async t => {
  const table = [
    ['local t = {1, 2, 3} local r = table.remove(t, 0) return {r, unpack(t)}', [3, 1, 2]],
    ['local t = {1, 2, 3} local r = table.remove(t, 1) return {r, unpack(t)}', [1, 2, 3]],
    ['local t = {1, 2, 3} return {table.remove(t), #t}', [3, 2]],
    ['local t = {1} return {table.remove(t, 5) == nil, #t, select("#", table.remove({}))}', [true, 1, 1]],
    ['local t = {1, 2} table.insert(t, 1, 0) table.insert(t, 3) return t', [0, 1, 2, 3]],
    ['local t = {1, 2} table.insert(t, -1, 0) return {#t, t[-1]}', [2, 0]],
    ['return {table.concat({1e15, 0.1, "a"}, ", ")}', ['1000000000000000, 0.1, a']],
    [
      'return {table.concat({1, 2, 3}, "", 2), table.concat({1, 2}, "", 3), table.concat({1, 2, 3}, "-", 1, 2)}',
      ['23', '', '1-2'],
    ],
    ['return {table.getn({1, nil, 3, nil})}', [3]],
    ['return {math.huge == 1 / 0, math.mod(-1, 3)}', [false, 2]],
  ] as const;
  for (const [body, expected] of table) t.strictSame(valueOf(run(`function F() ${body} end`)), expected, body);
  const faults = [
    ['table.concat({1, {}})', 'invalid value (table) at index 2 in table for concat'],
    ['table.remove({}, "1")', 'bad argument #2 to remove (number expected, got string)'],
    ['table.insert({})', 'wrong number of arguments'],
    ['table.getn(1)', 'bad argument #1 to getn (table expected, got number)'],
  ] as const;
  for (const [call, message] of faults)
    t.equal(messageOf(run(`function F() ${call} end`)), `<string>:1: ${message}`, call);
});

t.test('errors name the line', async t => {
  const table = [
    ['x = = 1', "<string>:1: unexpected symbol near '='"],
    ['function F(o)\n return o.a.b end', "<string>:2: attempt to index field 'a' (a nil value)"],
    ['function F() error("boo") end', '<string>:1: boo'],
    ['function F() error({}) end', '(error object is a table value)'],
    ['function G() end', 'not found function F'],
    ['F = 3', 'F is not a function: number'],
    ['function F() string.rep("x", 3) end', /^<string>:1: The Lua function string\.rep is not supported by Karmada/],
    ['function F() return require("os2") + 1 end', /module os2 not found/],
    ['function F() local function f() return 1 + f() end return f() end', /stack overflow/],
  ] as const;
  for (const [script, expected] of table) t.match(messageOf(run(script, [{}])), expected, script);
});

t.test('compiled Lua is refused', async t => {
  const header = String.fromCharCode(0x1b, 0x4c, 0x75, 0x61, 0x51, 0, 1, 4, 4, 4, 8, 0);
  for (const script of ['\x1b', header, `${header}\0`])
    t.strictSame(run(script), {
      failure: 'failed',
      message: "<string>:1: unexpected symbol near 'char(27)'",
    });
  t.equal(vm.isUsable, true);
});

t.test('a message has a limit before it leaves the thread', async t => {
  const raise = (part: string, times: number): LuaOutcome => {
    const script = `local s = "${part}" for i = 1, ${times} do s = s .. s end function F() error(s, 0) end`;
    return openVm().run({ script, name: 'F', args: [], results: [] }, ampleMs);
  };
  t.strictSame(raise('a', 20), { failure: 'failed', message: 'a'.repeat(1_000) });
  t.strictSame(raise('\\1', 23), { failure: 'failed', message: '\u0001'.repeat(1_000) });
  t.strictSame(raise('€', 20), { failure: 'failed', message: '€'.repeat(1_000) });
  t.equal(writeLuaOutcome(raise('\\1', 23)).byteLength < 6_100, true);
  const name = 'x'.repeat(100_000);
  for (const script of [`= ${name}`, `function F() ${name}.a = 1 end`, `function F() return {["${name}"] = F} end`])
    t.equal(String(messageOf(run(script))).length <= 1_000, true);
  t.strictSame(raise('😀x', 20), { failure: 'failed', message: '😀x'.repeat(333) }, 'no half of a character');
});

t.test('formats cannot exceed the memory of the thread', async t => {
  const long = 'local s = "a" for i = 1, 22 do s = s .. s end';
  t.match(
    messageOf(run(`function F() ${long} return string.format("%s%s%s", s, s, s) end`)),
    /exceeds the maximum allowed/,
  );
  const wide = 'local f = "%1000000d" for i = 1, 10 do f = f .. f end';
  const call = `string.format(f, unpack(t))`;
  const body = `${wide} local t = {} for i = 1, 1024 do t[i] = 1 end return ${call}`;
  t.match(messageOf(run(`function F() ${body} end`)), /the formatted text has more than/);
  const repeated = (verb: string, value: string): unknown => {
    const body = `local f, t = {}, {} for i = 1, 500 do f[i] = "${verb}" t[i] = ${value} end
      return string.format(table.concat(f), unpack(t))`;
    const script = `local s = "a" for i = 1, 19 do s = s .. s end function F() ${body} end`;
    return messageOf(openVm().run({ script, name: 'F', args: [], results: [] }, ampleMs));
  };
  const verbs = [...'dbcUxXoefgsvq'].map(verb => `%999999${verb}`);
  for (const verb of [...verbs, '%-999999d', '%0999999d', '%.999999d'])
    t.match(repeated(verb, '1'), /the formatted text has more than/, verb);
  for (const verb of ['%s', '%v', '%q', '%x', '%X', '%.0s', '%1s', '%f', '%t'])
    t.match(repeated(verb, 's'), /the formatted text has more than/, verb);
  t.match(messageOf(run(`function F() ${long} return {s} end`)), /characters of JSON/);
});

t.test('a script finds only what Karmada opens', async t => {
  const names = ['coroutine', 'io', 'debug', 'os.execute', 'os.getenv', 'string.dump == nil', 'math.huge == nil'];
  for (const name of names) t.notOk(returning(name), name);
  const refused = ['load', 'loadstring', 'dofile', 'getfenv', 'setfenv', 'getmetatable', 'setmetatable', 'rawset'];
  for (const name of refused)
    t.match(messageOf(run(`function F() return ${name}("") end`)), `call function ${name} is not supported in karmada`);
  t.equal(returning('(pcall(getmetatable, ""))'), false);
});

t.test('a script cannot change what another finds', async t => {
  run('string.upper = nil table.insert = nil math.max = nil x = 1 _G.y = 2 require("kube").resourceAdd = nil');
  run('string.upper = nil function F() end');
  t.equal(returning('("x"):upper()'), 'X');
  t.equal(returning('kube.resourceAdd("1", "500m")'), '1500m');
  t.equal(returning('x == nil and y == nil and math.max(1, 2)'), 2);
});

t.test('random numbers of a script do not depend on others', async t => {
  const draw = 'function F() return {math.random(), math.random(1000000)} end';
  const first = valueOf(run(draw));
  run('math.randomseed(7) function F() for i = 1, 10 do math.random() end end');
  t.strictSame(valueOf(run(draw)), first, 'the seed of a run is that of the host');
  const seeded = 'math.randomseed(7) return {math.random(1000000), math.random(1000000)}';
  t.strictSame(valueOf(run(`function F() ${seeded} end`)), valueOf(run(`math.random() function F() ${seeded} end`)));
  const rolls = `local counts = {} for i = 1, 6 do counts[i] = 0 end
    for i = 1, 6000 do local n = math.random(6) counts[n] = counts[n] + 1 end return counts`;
  const counts = valueOf(run(`function F() ${rolls} end`)) as number[];
  t.equal(counts.length, 6);
  t.ok(
    counts.every(count => count > 850 && count < 1_150),
    String(counts),
  );
  t.equal(returning('math.random(3, 3)'), 3);
  t.equal(returning('math.random("-2", -2)'), -2);
  for (const seed of ['0/0', '1/0', '-5', '1e300'])
    t.match(returning(`math.randomseed(${seed}) or math.random(1, 1)`), 1, seed);
  const table = [
    ['math.random(0)', 'bad argument #1 to random (interval is empty)'],
    ['math.random(2, 1)', 'bad argument #2 to random (interval is empty)'],
    ['math.random({})', 'bad argument #1 to random (number expected, got table)'],
    ['math.randomseed()', 'bad argument #1 to randomseed (number expected, got nil)'],
  ] as const;
  for (const [call, message] of table) t.equal(messageOf(run(`function F() ${call} end`)), `<string>:1: ${message}`);
});

t.test('the kube library', async t => {
  const containers = [{ resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } } }];
  const template = { spec: { containers, volumes: [{ secret: { secretName: 's' } }] } };
  t.equal(returning('kube.resourceAdd("1", nil, "500m")'), '1500m');
  t.equal(returning('kube.getResourceQuantity("1Gi")'), 1024 ** 3);
  t.strictSame(returning('kube.accuratePodRequirements(o)', template), {
    resourceRequest: { cpu: '1', memory: '1Gi' },
  });
  const dependency = { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' };
  t.strictSame(returning('kube.getPodDependencies(o, "n")', template), [dependency]);
  t.equal(returning('kube.getPodDependencies({spec = {}}, nil) == nil'), true, 'nil without dependencies');
  for (const call of ['resourceAdd("x y")', 'resourceAdd({})', 'accuratePodRequirements(1)', 'getPodDependencies({})'])
    t.match(run(`local kube = require('kube') function F() kube.${call} end`), { failure: 'failed' }, call);
  t.equal(returning('(pcall(kube.resourceAdd, "x y"))'), false, 'the script may catch an error');
});

t.test('pairs has one order', async t => {
  const names = 'local n = {} for k in pairs(o) do n[#n + 1] = k end';
  t.strictSame(valueOf(run(`function F(o) ${names} return n end`, [{ b: 1, c: 2, a: 3 }])), ['a', 'b', 'c']);
  t.strictSame(
    valueOf(run('function F(o) for k in pairs(o) do o[k] = nil end return {next(o) == nil} end', [{ a: 1, b: 2 }])),
    [true],
    'a script may clear the table meanwhile',
  );
});

t.test('no pcall outlives the limits', async t => {
  const table = [
    ['while true do end', 'late'],
    ['while true do pcall(function() while true do end end) end', 'late'],
    ['while true do xpcall(error, function() while true do end end) end', 'late'],
    ['table.sort({3, 2, 1, 4}, function() while true do end end)', 'late'],
    ['local t = {} while true do t[#t + 1] = {1, 2, 3} end', 'memory'],
    ['local t = {} for i = 1, 1e9 do pcall(function() t[#t + 1] = {1, 2, 3} end) end', /late|memory/],
    ['local s = "a" while true do s = s .. s end', 'memory'],
  ] as const;
  for (const [body, failure] of table) {
    let ticks = 0;
    const hostile = openVm({}, () => ticks++);
    const outcome = hostile.run({ script: `function F() ${body} end`, name: 'F', args: [], results: [] }, 2_000);
    t.match(outcome, { failure }, body);
    t.equal(hostile.isUsable, false, 'the VM is replaced');
  }
  const counted = openVm({ instructions: 100_000 });
  const endless = { script: 'function F() while true do end end', name: 'F', args: [], results: [] };
  t.match(counted.run(endless, ampleMs), { failure: 'late', message: /context deadline exceeded/ });
});

t.test('an argument that does not fit is refused', async t => {
  const small = openVm({ memory: 18 * mebibyte });
  const args = [{ text: 'x'.repeat(8 * mebibyte) }];
  t.match(small.run({ script: 'function F() end', name: 'F', args, results: [] }, ampleMs), { failure: 'memory' });
});

t.test('a VM keeps a bounded number of scripts', async t => {
  for (let i = 0; i < 200; i++) t.equal(valueOf(run(`function F() return ${i} end`)), i);
  t.equal(valueOf(run('function F() return 199 end')), 199);
  t.equal(vm.isUsable, true);
});
