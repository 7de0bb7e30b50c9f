import fs from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { files, root } from '../rules/files.js';
import { type Branch, branchesOf } from './branches.js';
import { type Range, taken } from './counts.js';
import type { FileCoverage } from './floors.js';
import { isProduct, reportFile, suites } from './scope.js';

type Report = Readonly<Record<string, readonly Range[]>>;

const compiled = (module: string): string => path.join(root, 'dist', `${module}.js`);

/** Reads the report of a suite. Throws if a module was compiled later (`builtAt`), since offsets would be those of another text. */
function report(suite: string, builtAt: number): Report {
  const file = reportFile(suite);
  const written = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (written === undefined) throw new Error(`the suite ${suite} has recorded no coverage`);
  if (written < builtAt) throw new Error(`the coverage of the suite ${suite} is older than the build`);
  return JSON.parse(fs.readFileSync(file, 'utf8')) as Report;
}

/** Returns the branches as `LINE what`, with the line in the source. */
function described(module: string, text: string, branches: readonly Branch[]): readonly string[] {
  if (branches.length === 0) return [];
  const map = new SourceMap(JSON.parse(fs.readFileSync(`${compiled(module)}.map`, 'utf8')) as SourceMapPayload);
  return branches.map(({ what, at }) => {
    const before = text.slice(0, at).split('\n');
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
    return `${'originalLine' in entry ? entry.originalLine + 1 : '?'} ${what}`;
  });
}

function coverageOf(module: string, reports: readonly Report[]): FileCoverage {
  const text = fs.readFileSync(compiled(module), 'utf8');
  const branches = branchesOf(text);
  const seen = reports.flatMap(report => (report[module] ? [taken(branches, report[module])] : []));
  const untaken = branches.filter((_, i) => !seen.some(each => each[i]));
  return { file: `${module}.ts`, branches: branches.length, untaken: described(module, text, untaken) };
}

/** Returns the coverage of every module of the product by the last runs of the suites together. A module that no test loads has none. */
export function measure(): readonly FileCoverage[] {
  const sources = [...files('.', '.ts')].filter(file => isProduct(file) && !file.endsWith('.d.ts'));
  const modules = sources.sort().map(file => file.replace(/\.ts$/, ''));
  const builtAt = Math.max(...modules.map(module => fs.statSync(compiled(module)).mtimeMs));
  const reports = suites.map(suite => report(suite, builtAt));
  return modules.map(module => coverageOf(module, reports));
}
