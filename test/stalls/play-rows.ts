/**
 * Plays rows of the stall suite: they send hostile input to the server, while one client requests `/version` and another one watches.
 *
 * STALL_ROWS chooses rows: `STALL_ROWS=yaml/braces,cel/*`. STALL_TABLE names a file to which the results are appended as a table.
 */
import fs from 'node:fs';
import process from 'node:process';
import t from 'tap';
import { limits } from './limits.js';
import { measure, type Result } from './measure.js';
import type { Row } from './row.js';
import { byNeeds, Stages } from './stage.js';
import { table } from './table.js';

const chosen = process.env['STALL_ROWS']?.split(',');

/** Reports whether a pattern selects a row: `cel/*` selects all rows whose names begin with `cel/`. */
const matches = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const inputOf = (name: string): string => name.split('/')[0] ?? '';

/** Returns the chosen patterns that select none of the rows, although one of these has the same input: the part before the slash. */
function patternsWithoutRow(rows: readonly Row[]): readonly string[] {
  const inputs = new Set(rows.map(({ name }) => inputOf(name)));
  return (chosen ?? []).filter(
    pattern => inputs.has(inputOf(pattern)) && !rows.some(({ name }) => matches(name, pattern)),
  );
}

const isChosen = ({ name }: Row): boolean => chosen?.some(pattern => matches(name, pattern)) ?? true;

const maxMeasurements = 3;
/** Milliseconds for a row whose server ends or hangs, with some time for a slow machine. */
const timeout = 480_000;

/** Plays the rows that STALL_ROWS selects. Rows with the same needs share a server. */
export function playRows(rows: readonly Row[]): void {
  const played = byNeeds(rows.filter(isChosen));
  const wholeTimeout = timeout * (played.length + 1);
  t.setTimeout(wholeTimeout);

  t.test('every row has a unique name', async t => {
    t.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  });

  t.test(`stalls last less than ${limits.stall} ms, and memory is released`, { timeout: wholeTimeout }, async t => {
    const results: Result[] = [];
    const stages = new Stages(t);
    for (const row of played)
      await t.test(row.name, { timeout }, async t => {
        let result = await measure(t, stages, row);
        // Other processes disturb a measurement now and then, in a run of all rows even two of the same row. A stall that the input causes is repeatable.
        for (let i = 1; i < maxMeasurements && result.faults.length > 0; i++) result = await measure(t, stages, row);
        results.push(result);
        t.strictSame(result.faults, [], row.name);
      });
    t.strictSame(patternsWithoutRow(rows), [], 'each pattern of STALL_ROWS selects a row');
    t.equal(await stages.close(), undefined, 'the server stops cleanly');
    const text = table(results);
    for (const line of text.split('\n')) t.comment(line);
    const file = process.env['STALL_TABLE'];
    if (file !== undefined && results.length > 0) fs.appendFileSync(file, `${text}\n`);
  });
}
