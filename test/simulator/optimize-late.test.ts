import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import t from 'tap';

const run = promisify(execFile);

/** Prints the number of calls of a function until V8 has optimised it; `late` calls `optimizeLate()` before. */
const child = (late: boolean): string => `
  import { optimizeLate } from ${JSON.stringify(import.meta.resolve('#dist/simulator/optimize-late.js'))};
  if (${late}) optimizeLate();
  function sum(values) { let all = 0; for (const value of values) all += value; return all; }
  const values = Array.from({ length: 20 }, (_, i) => i);
  const optimized = 1 << 4;
  let calls = 0;
  for (; (%GetOptimizationStatus(sum) & optimized) === 0 && calls < 1e6; calls++) sum(values);
  console.log(calls);`;

async function callsUntilOptimized(late: boolean): Promise<number> {
  const options = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--no-use-osr', '--input-type=module'];
  const { stdout } = await run(process.execPath, [...options, '-e', child(late)]);
  return Number(stdout);
}

const skip = process.version.startsWith('v20.') ? false : 'later engines wait by themselves';
void t.test('optimizeLate triples the number of calls before Node 20 optimises a function', { skip }, async t => {
  const [soon, late] = await Promise.all([callsUntilOptimized(false), callsUntilOptimized(true)]);
  t.ok(late > 2.5 * soon && late < 3.5 * soon, `${soon} calls, ${late} calls`);
});
