/** Hostile scripts in the threads of a `ScriptRunner`: they end, harm no other script, and leave no memory behind. */
import t from 'tap';
import { longestStall } from '../../../lib/longest-stall.js';
import { ScriptRunner } from '../../../../controllers/interpreter/lua/runner.js';

const runner = new ScriptRunner();
t.teardown(() => runner.close());

const call = (body: string) => ({
  script: `function F() ${body} end`,
  name: 'F',
  args: [],
  results: [{ empty: 'object' as const, references: [] }],
});
const run = (body: string, key = 'ordinary') => runner.run(call(body), key);

/** Longer than any turn of the event loop may take; the tests of stalls measure it exactly. */
const longTurnMs = 500;

t.test('an ordinary script', async t => {
  t.strictSame(await run('return {a = 1}'), [{ type: 'table', value: { a: 1 } }]);
  await t.rejects(run('error("boo")'), { name: 'ExpectedError', message: '<string>:1: boo' });
});

t.test('hostile scripts end, and scripts of other owners run meanwhile', async t => {
  const blowUp =
    'local s, p = "a", "(.-)" for i = 1, 17 do s = s .. s end for i = 1, 30 do p = p .. "(.-)" end string.find(s, p .. "b")';
  const table = [
    ['endless', 'while true do pcall(function() while true do end end) end', /context deadline exceeded/],
    ['pattern', blowUp, /context deadline exceeded/],
    ['tables', 'local t = {} while true do t[#t + 1] = {1, 2, 3} end', /not enough memory|deadline/],
    ['strings', 'local s = "a" while true do s = s .. s end', /not enough memory/],
    ['results', 'local t = {} for i = 1, 4e5 do t[i] = "xxxxxxxxxx" end return t', /more than 20000 values|deadline/],
    ['text', 'local s = "x" for i = 1, 22 do s = s .. s end return s', /characters of JSON/],
    ['errors', 'error(setmetatable)', /error object is a function value/],
  ] as const;
  const longest = await longestStall(longTurnMs, async () => {
    const hostile = table.map(([key, body, message]) =>
      t.rejects(run(body, key), { name: 'ExpectedError', message }, key),
    );
    for (let i = 0; i < 20; i++) t.strictSame(await run(`return ${i}`), [{ type: 'number', value: i }]);
    await Promise.all(hostile);
  });
  t.ok(longest < longTurnMs, `the event loop went on: ${longest.toFixed(0)} ms`);
});

t.test('many calls of a slow script do not delay others', async t => {
  const slow = Array.from({ length: 5 }, () => run('while true do end', 'endless').catch(() => 'ended'));
  const first = await Promise.race([run('return 1').then(() => 'ordinary'), Promise.all(slow).then(() => 'slow')]);
  t.equal(first, 'ordinary');
  t.strictSame(await Promise.all(slow), Array<string>(5).fill('ended'));
});

/** Takes longer than a script may among the quick ones. */
const slowly = 'local from = os.time() for i = 1, 4e6 do local _ = i end';

t.test('many calls of a slow script end', async t => {
  const calls = Array.from({ length: 10 }, (_, n) => run(`${slowly} return ${n}`, 'late'));
  t.strictSame(
    await Promise.all(calls),
    Array.from({ length: 10 }, (_, value) => [{ type: 'number', value }]),
  );
});
