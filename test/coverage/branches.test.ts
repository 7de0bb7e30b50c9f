/** Branches that V8 counts, on programs that are run for it. */
import { Session } from 'node:inspector';
import vm from 'node:vm';
import t from 'tap';
import { branchesOf } from './branches.js';
import { countsAt, type Range, taken } from './counts.js';

/** Runs a program, and returns its branches as `WHAT` or `not WHAT`, in the order of its text. */
function run(text: string): readonly string[] {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const filename = 'coverage-program.js';
  let ranges: readonly Range[] = [];
  try {
    vm.runInThisContext(text, { filename });
    session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error) throw error;
      const functions = coverage.result.findLast(({ url }) => url === filename)?.functions ?? [];
      ranges = functions.flatMap(({ ranges }) =>
        ranges.map(({ startOffset, endOffset, count }): Range => [startOffset, endOffset, count]),
      );
    });
  } finally {
    session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
  const branches = branchesOf(text);
  const seen = taken(branches, ranges);
  return branches.map(({ what }, i) => (seen[i] ? what : `no ${what}`));
}

t.test('both outcomes of a condition are branches', async t => {
  const rows = [
    { name: 'an if that holds', text: 'if (1) { Math.abs(1) }', expect: ['if', 'no not if'] },
    { name: 'an if that does not hold', text: 'if (0) { Math.abs(1) }', expect: ['no if', 'not if'] },
    {
      name: 'an if that holds once',
      text: 'for (const i of [0, 1]) if (i) Math.abs(1)',
      expect: ['the loop', 'if', 'not if'],
    },
    { name: 'an else', text: 'if (0) Math.abs(1); else Math.abs(2)', expect: ['no if', 'else'] },
    { name: 'a conditional', text: '[1].map(x => x ? 1 : 2)', expect: ['the function', '?', 'no :'] },
    { name: 'and', text: 'Math.random() >= 0 && Math.abs(1)', expect: ['right of &&', 'no left of && alone'] },
    { name: 'or', text: 'Math.random() >= 0 || Math.abs(1)', expect: ['no right of ||', 'left of || alone'] },
    {
      name: 'a default',
      text: '[1, null].map(x => x ?? 2)',
      expect: ['the function', 'right of ??', 'left of ?? alone'],
    },
    {
      name: 'an if behind a return',
      text: '(function f(x) { if (x) return 1; if (!x) return 2; return 3 })(1)',
      expect: ['the function', 'if', 'no not if', 'no if', 'no not if'],
    },
  ];
  for (const { name, text, expect } of rows) t.strictSame(run(text), expect, name);
});

t.test('bodies of functions, loops, cases and catch clauses are branches', async t => {
  const rows = [
    { name: 'a function that is not called', text: 'function f() { return 1 }', expect: ['no the function'] },
    {
      name: 'a function inside of one that is not called',
      text: 'const f = x => y => x + y',
      expect: ['no the function', 'no the function'],
    },
    {
      name: 'a function that makes another one',
      text: '(x => y => x + y)(1)',
      expect: ['the function', 'no the function'],
    },
    {
      name: 'a method',
      text: 'class A { m() { return 1 } n() { return 2 } }; new A().m()',
      expect: ['the function', 'no the function'],
    },
    { name: 'an empty loop', text: 'for (const i of []) Math.abs(i)', expect: ['no the loop'] },
    {
      name: 'cases',
      text: "switch ('a') { case 'a': Math.abs(1); break; case 'b': Math.abs(2); break; default: Math.abs(3) }",
      expect: ['the case', 'no the case', 'no the case'],
    },
    { name: 'a catch', text: 'try { Math.abs(1) } catch { Math.abs(2) }', expect: ['no catch'] },
    { name: 'a catch of an error', text: 'try { throw new Error() } catch (error) { Math.abs(2) }', expect: ['catch'] },
  ];
  for (const { name, text, expect } of rows) t.strictSame(run(`{ ${text} }`), expect, name);
});

t.test('the innermost range counts', async t => {
  const countAt = countsAt([
    [0, 100, 1],
    [10, 50, 5],
    [10, 20, 3],
    [60, 70, 0],
    [60, 70, 2],
  ]);
  const rows = [
    [0, 1],
    [9, 1],
    [10, 3],
    [19, 3],
    [20, 5],
    [49, 5],
    [50, 1],
    [60, 2],
    [70, 1],
    [99, 1],
    [100, 0],
  ] as const;
  for (const [offset, expect] of rows) t.equal(countAt(offset), expect, String(offset));
  t.equal(countsAt([])(5), 0, 'a module that was not loaded');
});
