/**
 * Plays rows of the stall suite: hostile input is sent through an input of the server, while a client asks for `/version` and an informer watches.
 *
 * STALL_ROWS chooses rows: `STALL_ROWS=yaml/braces,cel/*`. STALL_TABLE names a file to which the results are appended as a table.
 */
import fs from 'node:fs';
import process from 'node:process';
import t from 'tap';
import { limits } from './limits.js';
import { measure, type Result } from './measure.js';
import type { Row } from './row.js';
import { Stages } from './stage.js';
import { table } from './table.js';

const chosen = process.env['STALL_ROWS']?.split(',');

/** `cel/*` is every row whose name begins with `cel/`. */
const matches = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const isChosen = ({ name }: Row): boolean => chosen?.some(pattern => matches(name, pattern)) ?? true;

/** Milliseconds for a row whose server ends or hangs, with some time for a slow machine. */
const timeout = 480_000;

/** Plays the chosen ones of these rows. Rows that need the same flags stand together, and share a server. */
export function playRows(rows: readonly Row[]): void {
  const played = rows.filter(isChosen);
  const wholeTimeout = timeout * (played.length + 1);
  t.setTimeout(wholeTimeout);

  t.test('every row has a name of its own', async t => {
    t.ok(rows.length > 0, 'there are rows');
    t.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  });

  t.test(`stalls under ${limits.stall} ms, and memory comes back`, { timeout: wholeTimeout }, async t => {
    const results: Result[] = [];
    const stages = new Stages(t);
    for (const row of played)
      await t.test(row.name, { timeout }, async t => {
        const first = await measure(t, stages, row);
        // Other processes disturb a measurement now and then; a stall that the input causes comes again.
        const result = first.faults.length > 0 ? await measure(t, stages, row) : first;
        results.push(result);
        t.strictSame(result.faults, [], row.name);
      });
    t.equal(await stages.close(), undefined, 'the server ends when it is asked to');
    const text = table(results);
    for (const line of text.split('\n')) t.comment(line);
    const file = process.env['STALL_TABLE'];
    if (file !== undefined) fs.appendFileSync(file, `${text}\n`);
  });
}
