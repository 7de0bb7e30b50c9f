/**
 * Records the coverage of a suite: `node --import ./dist/test/coverage/record.js dist/test/suites/NAME.js`. Other programs and threads are not
 * affected. The profiler is started here and not by NODE_V8_COVERAGE, which would reach every process that a test starts and read all source maps.
 */
import fs from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import path from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { root } from '../rules/files.js';
import type { Range } from './counts.js';
import { isProduct, reportFile, suites } from './scope.js';

/** Returns the name of the suite that this process runs; undefined for other programs. */
function suiteOf(program: string | undefined): string | undefined {
  if (program === undefined || !fs.existsSync(program)) return undefined;
  const { dir, name } = path.parse(fs.realpathSync(program));
  return dir === path.join(root, 'dist', 'test', 'suites') ? name : undefined;
}

/** Returns the ranges of all functions by module. A module of the product is named by its path, such as `lib/timer`. */
function byModule(scripts: readonly Profiler.ScriptCoverage[]): Record<string, Range[]> {
  const prefix = new URL('../../', import.meta.url).href;
  const found: Record<string, Range[]> = {};
  for (const { url, functions } of scripts) {
    if (!url.startsWith(prefix) || !url.endsWith('.js')) continue;
    const name = url.slice(prefix.length, -'.js'.length);
    if (!isProduct(name)) continue;
    found[name] = functions.flatMap(({ ranges }) =>
      ranges.map(({ startOffset, endOffset, count }): Range => [startOffset, endOffset, count]),
    );
  }
  return found;
}

function record(file: string): void {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  process.once('exit', () => {
    session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error) throw error;
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, JSON.stringify(byModule(coverage.result)));
    });
  });
}

const suite = suiteOf(process.argv[1]);
if (isMainThread && suite !== undefined && suites.includes(suite)) record(reportFile(suite));
