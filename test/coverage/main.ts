/** `npm run coverage`: measures which branches the tests take, and compares every folder with its floor. See docs/develop.md. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describeFlags, type FlagTable, parseFlags, UsageError } from '../../cli/flags/flags.js';
import { root } from '../rules/files.js';
import { byFolder, type Floors, type FolderCoverage, lossesOf, raised } from './floors.js';
import { measure } from './measure.js';
import { suites } from './scope.js';

const flags = {
  recorded: { type: 'boolean', help: 'Use the reports of the last run; run no tests' },
  raise: { type: 'boolean', help: 'Raise the floors to what is measured' },
  show: { type: 'string', value: 'FOLDER', help: 'List the branches of this folder that no test takes' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const floorsFile = path.join(root, 'test', 'coverage', 'floors.json');

/** Percentage points between a measurement and the floor that it raises, since some branches depend on the order of events. */
const slack = 2;

/** Runs the suites. Throws if a test fails. */
function runSuites(): void {
  const program = path.join(root, 'tools', 'run-suites.mjs');
  const record = `--node-arg=--import=${path.join(root, 'dist', 'test', 'coverage', 'record.js')}`;
  const { status, error } = spawnSync(process.execPath, [program, record, ...suites], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error('a test failed, so the coverage is not complete');
}

function table(folders: readonly FolderCoverage[], floors: Floors): string {
  const rows = folders.map(({ folder, branches, percent }) => {
    const floor = floors[folder]?.percent.toFixed(1) ?? '';
    return `${folder.padEnd(28)}${String(branches).padStart(9)}${percent.toFixed(2).padStart(9)}${floor.padStart(8)}`;
  });
  return [
    `${'folder'.padEnd(28)}${'branches'.padStart(9)}${'taken %'.padStart(9)}${'floor'.padStart(8)}`,
    ...rows,
  ].join('\n');
}

/** Returns the exit status, 1 if a folder is below its floor. */
function main(args: readonly string[]): number {
  const { values, rest } = parseFlags(flags, args);
  if (rest.length > 0) throw new UsageError(`unknown argument: ${rest[0]}`);
  if (values.help) {
    console.log(`Usage: npm run coverage -- [flags]\n\n${describeFlags(flags)}`);
    return 0;
  }
  if (!values.recorded) runSuites();
  const files = measure();
  if (values.show !== '') {
    for (const { file, untaken } of files.filter(({ file }) => file.startsWith(values.show)))
      for (const branch of untaken) console.log(`${file}:${branch}`);
    return 0;
  }
  const floors = JSON.parse(fs.readFileSync(floorsFile, 'utf8')) as Floors;
  const folders = byFolder(files, floors);
  const wanted = values.raise ? raised(folders, floors, slack) : floors;
  console.log(table(folders, wanted));
  if (values.raise) fs.writeFileSync(floorsFile, `${JSON.stringify(wanted, undefined, 2)}\n`);
  const losses = folders.flatMap(folder => lossesOf(folder, wanted[folder.folder]));
  for (const line of losses) console.log(line);
  return losses.length === 0 ? 0 : 1;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`coverage: ${error instanceof UsageError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
