/** `npm run conformance`: compares Flagship to all recordings, and writes docs/conformance.md. */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describeFlags, type FlagTable, parseFlags, UsageError } from '../../cli/flags/flags.js';
import { document, type Table } from './document.js';
import { surprises } from './known.js';
import { defaultWithinMs } from './scenarios/scenario-files.js';
import { type Row, sections } from './sections.js';

const flags = {
  only: { type: 'list', value: 'NAME,...', help: `Sections to run: ${sections.map(({ name }) => name).join(', ')}` },
  match: { type: 'string', value: 'REGEX', default: '.', help: 'Run only recordings whose AREA/NAME matches' },
  within: {
    type: 'number',
    value: 'SECONDS',
    default: defaultWithinMs / 1000,
    help: 'Time within which a scenario must reach each expected state',
  },
  verbose: { type: 'boolean', short: 'v', help: 'Print all differences, not only the first three' },
  json: { type: 'string', value: 'FILE', help: 'Write the results to this file, too' },
  help: { type: 'boolean', short: 'h', help: 'Print this help' },
} as const satisfies FlagTable;

const target = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));

function show({ name, results, notRun }: Row, verbose: boolean): void {
  for (const { name: one, problems } of results) {
    if (problems.length === 0) continue;
    console.log(`not ok ${name}/${one}`);
    for (const problem of problems.slice(0, verbose ? 40 : 3)) console.log(`    ${problem}`);
  }
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  console.log(`${name}: ${results.length - failed} passed, ${failed} failed${notRun > 0 ? `, ${notRun} not run` : ''}`);
}

/** Prints the results that test/conformance/known.ts does not expect, and returns the exit status: 1 if there are any. */
function printUnexpected(rows: readonly Row[]): number {
  const unexpected = rows.flatMap(({ name, results }) => surprises(name, results));
  for (const line of unexpected) console.log(`unexpected: ${line}`);
  return unexpected.length > 0 ? 1 : 0;
}

/** Returns the exit status: 0 if all results are as expected. */
async function main(args: readonly string[]): Promise<number> {
  const { values, rest } = parseFlags(flags, args);
  if (rest.length > 0) throw new UsageError(`unknown argument: ${rest[0]}`);
  if (values.help) {
    console.log(`Usage: npm run conformance -- [flags]\n\n${describeFlags(flags)}`);
    return 0;
  }
  const match = new RegExp(values.match);
  const tables: Table[] = [];
  for (const section of sections) {
    if (values.only.length > 0 && !values.only.includes(section.name)) continue;
    const rows: Row[] = [];
    await section.run({
      wanted: name => match.test(name),
      withinMs: values.within * 1000,
      all: values.verbose,
      report(row) {
        rows.push(row);
        show(row, values.verbose);
      },
    });
    tables.push({ ...section, rows });
  }
  if (values.json) fs.writeFileSync(values.json, JSON.stringify(tables, null, 1));
  if (values.only.length === 0 && values.match === '.') {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, document(tables));
    console.log(`wrote ${path.relative(process.cwd(), target)}`);
  }
  return printUnexpected(tables.flatMap(({ rows }) => rows));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(
    `conformance: ${error instanceof UsageError ? error.message : String((error as Error).stack)}\n`,
  );
  process.exitCode = 1;
}
