/** Functions of the libraries that a script finds, where they differ from those of C. */
import t from 'tap';
import { LuaVm } from '../../../../controllers/interpreter/lua/vm.js';
import { loadLuaBinary } from '../../../../lib/lua/engine.js';

const limits = { instructions: 1e7, memory: 48 << 20, resultLength: 1 << 20, resultValues: 1_000 };
const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);
const binary = loadLuaBinary();
const open = (instructions = limits.instructions): LuaVm =>
  new LuaVm({ binary, limits: { ...limits, instructions }, now, elapsed: () => 0, random: () => 0 });
let vm = open();

/** Returns what the statements return, or the message of their failure. */
function returned(body: string, ...args: unknown[]): unknown {
  const call = { script: `function F(o) ${body} end`, name: 'F', args, results: [{ empty: 'list', references: [] }] };
  const outcome = vm.run(call as Parameters<LuaVm['run']>[0], 1);
  return 'results' in outcome ? outcome.results[0]?.value : outcome.message;
}

t.test('xpcall', async t => {
  const table: readonly (readonly [string, unknown])[] = [
    ['return {xpcall(function() return 1, 2 end, error)}', [true, 1, 2]],
    ['return {xpcall(function() error("x", 0) end, function(e) return "got " .. e end)}', [false, 'got x']],
    ['return {xpcall(function() error("x") end, function(e) return e, 2 end)}', [false, '<string>:1: x']],
    ['return {xpcall(function() error("x") end, function() error("y") end)}', [false, '<string>:1: y']],
    ['xpcall(error)', '<string>:1: bad argument #2 to xpcall (function expected, got nil)'],
    ['xpcall(1, error)', '<string>:1: bad argument #1 to xpcall (function expected, got number)'],
  ];
  for (const [body, expected] of table) t.strictSame(returned(body), expected, body);
});

t.test('neither faults in faults nor their handlers outlive the limit', async t => {
  for (const body of [
    'while true do pcall(error, {}) end',
    'local function h() return xpcall(error, h) end while true do xpcall(error, h) end',
    'xpcall(error, function() while true do pcall(error) end end)',
    'pcall(pcall, pcall, function() for i = 1, 1e300 do end end) while true do end',
    'table.sort({1, 2, 3}, function() while true do pcall(error) end end)',
    'for k in pairs({1, 2}) do while true do end end',
    'for w in ("a b"):gmatch("^a") do while true do end end',
    'string.x = function(s) return s:x() end return ("a"):x()',
  ]) {
    vm = open(50_000);
    t.match(returned(body), /context deadline exceeded/, body);
    t.equal(vm.isUsable, false, 'the VM is replaced');
  }
  vm = open();
});

t.test('the main part of a script has the limits, too', async t => {
  const call = { script: 'while true do pcall(error) end', name: 'F', args: [], results: [] };
  const outcome = open(50_000).run(call, 1);
  t.match(outcome, { failure: 'late', message: /context deadline exceeded/ });
});

t.test('texts', async t => {
  const table: readonly (readonly [string, unknown])[] = [
    ['return {string.byte("abc")}', [97, 98, 99]],
    ['return {("abc"):byte(-1)}', [99]],
    ['return {string.byte("abc", 2, 5)}', [98, 99]],
    ['return {string.byte("")}', []],
    ['string.byte({})', '<string>:1: bad argument #1 to byte (string expected, got table)'],
    ['local r = {} for w in string.gmatch("a b", "%a") do r[#r + 1] = w end return r', ['a', 'b']],
    ['local r = {} for k, v in ("a=1,b=2"):gmatch("(%w)=(%w)") do r[#r + 1] = k .. v end return r', ['a1', 'b2']],
    ['local r = {} for w in string.gmatch("aaa", "^a") do r[#r + 1] = w end return r', ['a']],
    ['local r = {} for w in string.gmatch("ba", "^a") do r[#r + 1] = w end return r', []],
    ['string.gmatch("a")', '<string>:1: bad argument #2 to gmatch (string expected, got nil)'],
    ['return {string.gfind("a", "a")()}', ['a']],
    ['return tostring(-0.0) .. table.concat({-0.0})', '00'],
    ['tostring()', '<string>:1: bad argument #1 to tostring (value expected)'],
    ['return {tostring(nil), tostring(true), tostring("x"), tostring(1e15)}', ['nil', 'true', 'x', '1000000000000000']],
    ['return o .. "x"', '\ufeffax'],
  ];
  for (const [body, expected] of table) t.strictSame(returned(body, '\ufeffa'), expected, body);
});

t.test('the length of texts for string.format counts bytes', async t => {
  const message = 'string length 1000001 exceeds the maximum allowed input string length 1000000';
  t.match(returned('local x = string.format(o)', 'x'.repeat(1_000_001)), message);
  t.match(returned('local x = string.format("%s", o)', 'é'.repeat(500_000) + 'x'), message);
  t.equal(returned('return #string.format("%s", o)', 'é'.repeat(500_000)), 1_000_000);
});

t.test('a text that is too long is no number', async t => {
  const spaces = ' '.repeat(4 * 1024 * 1024 - 1);
  t.equal(returned('return tonumber("5" .. o)', spaces), 5);
  t.equal(returned('return tostring(tonumber("5" .. o .. " "))', spaces), 'nil');
  t.equal(returned('return tostring(tonumber("5" .. o .. "x"))', spaces), 'nil');
});

t.test('times', async t => {
  const table: readonly (readonly [string, unknown])[] = [
    ['return os.time()', now() / 1000],
    ['return os.date("!%H:%M:%S")', '03:04:05'],
    ['return os.date("!*t").year', 2026],
    ['return os.time(os.date("*t", 1767323045))', 1_767_323_045],
    ['os.date("%d", "1")', '<string>:1: bad argument #2 to date (number expected, got string)'],
    ['os.date("%d", nil)', '<string>:1: bad argument #2 to date (number expected, got nil)'],
    ['os.date({})', '<string>:1: bad argument #1 to date (string expected, got table)'],
    ['os.date("%d", 1e300)', '<string>:1: the time is out of range'],
    ['os.date("*t", 0 / 0)', '<string>:1: the time is out of range'],
    ['os.time({year = 1e10})', '<string>:1: the time is out of range'],
    ['os.time("x")', '<string>:1: bad argument #1 to time (table expected, got string)'],
  ];
  for (const [body, expected] of table) t.strictSame(returned(body), expected, body);
});

t.test('modules', async t => {
  const table: readonly (readonly [string, unknown])[] = [
    ['return require("kube") == require("kube") and require("string") == string', true],
    ['package.preload.own = function(name) return {name} end return require("own")', ['own']],
    ['package.preload.none = function() end return require("none")', true],
    ['local x = require(nil)', '<string>:1: bad argument #1 to require (string expected, got nil)'],
    ['package.loadlib("x")', '<string>:1: loadlib is not supported'],
  ];
  for (const [body, expected] of table) t.strictSame(returned(body), expected, body);
});

t.test('an error may be any value', async t => {
  for (const [value, message] of [
    ['nil', 'nil'],
    ['true', 'true'],
    ['{}', '(error object is a table value)'],
    ['"x"', 'x'],
  ] as const)
    t.equal(returned(`error(${value}, 0)`), message);
  t.equal(returned('error(1e15, 0)'), '1000000000000000');
});
