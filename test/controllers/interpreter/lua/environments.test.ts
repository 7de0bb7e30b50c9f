/** The environments that the sandbox makes for scripts, without a VM. */
import t from 'tap';
import { sandboxScript } from '../../../../controllers/interpreter/lua/sandbox.js';
import { LuaState } from './lua-state.js';

const state = new LuaState({ random: () => 0.25 });

/** Returns what the statements return in an environment of their own, or the message of their error. */
const returned = (body: string): unknown => state.run(sandboxScript, `local make = ... setfenv(1, make()) ${body}`);

/** Returns what the statements return, which make environments with `make`. */
const returnedByMaker = (body: string): unknown => state.run(sandboxScript, `local make = ... ${body}`);

const namesIn = (expression: string): unknown =>
  returned(`local names = {} for name in pairs(${expression}) do names[#names + 1] = name end return names`);

const refused = [
  ...['collectgarbage', 'dofile', 'getfenv', 'getmetatable', 'load', 'loadfile', 'loadstring'],
  ...['rawequal', 'rawget', 'rawset', 'setfenv', 'setmetatable', 'module', 'newproxy'],
];

t.test('an environment has the names of Karmada, and no others', async t => {
  const base = ['_G', '_VERSION', 'assert', 'error', 'ipairs', 'next', 'pairs', 'pcall', 'print', 'require', 'select'];
  const libraries = ['math', 'os', 'package', 'string', 'table'];
  const rest = ['tonumber', 'tostring', 'type', 'unpack', 'xpcall'];
  t.strictSame(namesIn('_G'), [...base, ...libraries, ...rest, ...refused].sort());
  t.strictSame(namesIn('os'), ['date', 'time']);
  t.strictSame(namesIn('table'), ['concat', 'getn', 'insert', 'maxn', 'remove', 'sort']);
  t.strictSame(
    namesIn('string'),
    [
      ...['byte', 'char', 'dump', 'find', 'format', 'gfind', 'gmatch', 'gsub', 'len', 'lower', 'match', 'rep'],
      ...['reverse', 'sub', 'upper'],
    ].sort(),
  );
  t.strictSame(namesIn('package.loaded'), ['_G', 'math', 'os', 'package', 'string', 'table']);
});

t.test('what Karmada removes raises an error that says so', async t => {
  for (const name of refused)
    t.equal(
      returned(`local x = ${name}()`),
      `test:1: call function ${name} is not supported in karmada customized resourceinterpreter.`,
    );
  for (const name of ['dump', 'gsub', 'rep'])
    t.match(returned(`local x = string.${name}("a")`), `test:1: The Lua function string.${name} is not supported`);
  t.equal(returned('return print("x")'), undefined, 'nothing is printed');
});

t.test('an environment cannot change another one', async t => {
  const changes = [
    'a.added = 1',
    'a.string.upper = nil',
    'a.table.insert = nil',
    'a.math.huge = 0',
    'a.os.time = nil',
    'a.package.preload.own = function() return 1 end',
    'a.require("kube").resourceAdd = nil',
    'a.math.randomseed(7)',
  ].join(' ');
  const kept = [
    'b.added == nil',
    'b.string.upper ~= nil',
    'b.table.insert ~= nil',
    'b.math.huge > 0',
    'b.os.time ~= nil',
    'b.package.preload.own == nil',
    'b.require("kube").resourceAdd ~= nil',
    'b.math.random() == make().math.random()',
  ];
  for (const [order, first] of [
    ['before', 'local a = make() local b = make()'],
    ['after', 'local b = make() local a = make()'],
  ] as const)
    for (const condition of kept)
      t.equal(returnedByMaker(`${first} ${changes} return ${condition}`), true, `${condition}, made ${order} it`);
});

t.test('the methods of texts are those of the newest environment', async t => {
  const body = 'local a = make() a.string.own = function() return 1 end local b = make() return ("x").own == nil';
  t.equal(returnedByMaker(body), true);
  t.equal(returned('string.own = function(s) return s .. "!" end return ("x"):own()'), 'x!');
});

t.test('pairs visits numbers, then texts, then the rest, as they are when it comes to them', async t => {
  const visit = (body: string): unknown =>
    returned(`local seen = {} local object = ${body} return table.concat(seen, " ")`);
  const all = '{b = 1, [2] = 1, a = 1, [-1] = 1, [1.5] = 1} for k in pairs(object) do seen[#seen + 1] = k end';
  t.equal(visit(all), '-1 1.5 2 a b');
  const withRest = '{[true] = 1, z = 1, [9] = 1} for k in pairs(object) do seen[#seen + 1] = type(k) end';
  t.equal(visit(withRest), 'number string boolean');
  const removed =
    '{a = 1, b = 2, c = 3} for k, v in pairs(object) do object.b = nil object.c = 4 seen[#seen + 1] = k .. v end';
  t.equal(visit(removed), 'a1 c4');
  t.equal(returned('for k in pairs(nil) do end'), 'test:1: bad argument #1 to pairs (table expected, got nil)');
});

t.test('tonumber takes texts and numbers, and a base that is a number', async t => {
  const table: readonly (readonly [string, unknown])[] = [
    ['return tonumber("z", 36)', 35],
    ['return tonumber(5, 2)', 5],
    ['return tonumber(nil)', undefined],
    ['return tonumber({})', undefined],
    ['return tonumber("10", nil)', 10],
    ['local x = tonumber("10", "2")', 'test:1: bad argument #2 to tonumber (number expected, got string)'],
    ['local x = tonumber()', 'test:1: bad argument #1 to tonumber (value expected)'],
  ];
  for (const [body, expected] of table) t.strictSame(returned(body), expected, body);
});

t.test('a list is changed inside, and not moved outside of it', async t => {
  const after = (call: string): unknown => returned(`local t = {"a", "b"} local x = ${call} return t`);
  const inserted = (...args: readonly string[]): unknown =>
    returned(`local t = {"a", "b"} table.insert(t, ${args.join(', ')}) return t`);
  t.strictSame(inserted('"x"'), ['a', 'b', 'x']);
  t.strictSame(inserted('1', '"x"'), ['x', 'a', 'b']);
  t.strictSame(inserted('2', '"x"'), ['a', 'x', 'b']);
  t.strictSame(inserted('2.9', '"x"'), ['a', 'x', 'b'], 'a position is an integer');
  t.strictSame(inserted('3', '"x"'), ['a', 'b', 'x']);
  t.equal(returned('local t = {"a"} table.insert(t, 0, "x") return t[0] .. t[1]'), 'xa', 'before the list');
  t.equal(returned('local t = {"a"} table.insert(t, -0.5, "x") return t[0] .. t[1]'), 'xa');
  t.equal(inserted('"1"', '"x"'), 'test:1: bad argument #2 to insert (number expected, got string)');
  t.equal(returned('table.insert({})'), 'test:1: wrong number of arguments');
  t.equal(returned('table.insert(1, 2)'), 'test:1: bad argument #1 to insert (table expected, got number)');
  t.strictSame(after('table.remove(t)'), ['a']);
  t.strictSame(after('table.remove(t, 1)'), ['b']);
  t.strictSame(after('table.remove(t, 2)'), ['a']);
  t.strictSame(after('table.remove(t, 3)'), ['a', 'b'], 'behind the list');
  t.strictSame(after('table.remove(t, 0)'), ['a'], 'before it the last one is removed');
  t.equal(returned('return table.remove({})'), undefined);
  t.equal(returned('return table.getn({1, nil, 3})'), 3);
});

t.test('concat joins the texts between two positions', async t => {
  const joined = (...args: readonly string[]): unknown =>
    returned(`return table.concat({1, "b", 2.5}, ${args.join(', ')})`);
  t.equal(joined('"-"'), '1-b-2.5');
  t.equal(joined('"-"', '2'), 'b-2.5');
  t.equal(joined('"-"', '3'), '2.5');
  t.equal(joined('"-"', '4'), '', 'behind the list');
  t.equal(joined('"-"', '0'), '', 'before the list');
  t.equal(joined('"-"', '0', '2'), '1-b', 'with an end, the begin is moved into the list');
  t.equal(joined('"-"', '9', '9'), '2.5');
  t.equal(joined('"-"', '3', '1'), '');
  t.equal(joined('0'), '10b02.5', 'a number separates');
  t.equal(joined('{}'), 'bad argument #2 to concat (string expected, got table)');
  t.equal(returned('local x = table.concat({1, {}})'), 'test:1: invalid value (table) at index 2 in table for concat');
  t.equal(returned('return table.concat({})'), '');
});

t.test('random numbers are in their interval, and follow from the seed', async t => {
  const numbers = (call: string): unknown =>
    returned(`math.randomseed(42) local seen = {} for i = 1, 200 do seen[i] = ${call} end return seen`);
  const dice = numbers('math.random(6)') as number[];
  t.strictSame([...new Set(dice)].sort(), [1, 2, 3, 4, 5, 6]);
  t.strictSame(numbers('math.random(6)'), dice);
  t.strictSame(
    [...new Set(numbers('math.random(-1, 1)') as number[])].sort((a, b) => a - b),
    [-1, 0, 1],
  );
  t.strictSame([...new Set(numbers('math.random(3, 3)') as number[])], [3]);
  for (const number of numbers('math.random()') as number[]) t.ok(number >= 0 && number < 1);
  t.equal(returned('math.random(0)'), 'test:1: bad argument #1 to random (interval is empty)');
  t.equal(returned('math.random(2, 1)'), 'test:1: bad argument #2 to random (interval is empty)');
  t.equal(returned('math.random("x")'), 'test:1: bad argument #1 to random (number expected, got string)');
  t.equal(returned('math.randomseed({})'), 'test:1: bad argument #1 to randomseed (number expected, got table)');
  t.equal(returned('math.randomseed(0 / 0) return math.random(1)'), 1, 'any number is a seed');
});

t.test('require finds loaded modules, then loaders, and loads each one once', async t => {
  t.equal(
    returned('local n = 0 package.preload.own = function() n = n + 1 end require("own") require("own") return n'),
    1,
  );
  t.equal(returned('package.preload.own = function() return false end return require("own")'), false);
  t.match(
    returned('local x = require("none")'),
    "test:1: module none not found:\n\tno field package.preload['none'], ",
  );
  t.match(returned('local x = require({})'), 'test:1: bad argument #1 to require (string expected, got table)');
  t.equal(returned('return require("math") == math'), true);
});
