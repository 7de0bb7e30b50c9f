/**
 * No input can stall the server: it is sent through every input there is, while a client asks for `/version` and an informer watches.
 *
 * STALL_ROWS chooses rows: `STALL_ROWS=yaml/braces,cel/*`. STALL_TABLE names a file to which the table of all results is written.
 */
import fs from 'node:fs';
import process from 'node:process';
import t from 'tap';
import { known } from './known.js';
import { limits } from './limits.js';
import { measure, type Result } from './measure.js';
import { rows } from './rows.js';
import { Stages } from './stage.js';
import { table } from './table.js';

const chosen = process.env['STALL_ROWS']?.split(',');

/** `cel/*` is every row whose name begins with `cel/`. */
const fits = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const reasonFor = (name: string): string | undefined =>
  Object.entries(known).find(([pattern]) => fits(name, pattern))?.[1];

const played = rows.filter(({ name }) =>
  chosen ? chosen.some(pattern => fits(name, pattern)) : reasonFor(name) === undefined,
);
/** Of a row whose server ends or does not come back, with some time for a slow machine. */
const timeout = 480_000;
const wholeTimeout = timeout * (played.length + 1);
t.setTimeout(wholeTimeout);

t.test('every row has a name of its own, and what is known is a row', async t => {
  const names = rows.map(({ name }) => name);
  t.equal(new Set(names).size, names.length);
  const unused = Object.keys(known).filter(pattern => !names.some(name => fits(name, pattern)));
  t.strictSame(unused, []);
});

t.test(`stalls under ${limits.stall} ms, and memory comes back`, { timeout: wholeTimeout }, async t => {
  t.ok(played.length > 0, 'there are rows');
  const results: Result[] = [];
  const stages = new Stages(t);
  for (const row of played)
    await t.test(row.name, { timeout }, async t => {
      const first = await measure(t, stages, row);
      // Other processes disturb a measurement now and then; a stall that is the input's comes again.
      const result = first.faults.length > 0 ? await measure(t, stages, row) : first;
      results.push(result);
      const reason = reasonFor(row.name);
      if (reason === undefined) t.strictSame(result.faults, [], row.name);
      else t.pass(result.faults.length === 0 ? 'passes' : `known: ${reason}: ${result.faults.join('; ')}`);
    });
  t.equal(await stages.close(), undefined, 'the server ends when it is asked to');
  for (const { row, faults } of results)
    if (Object.hasOwn(known, row)) t.not(faults.length, 0, `${row} fails: when it passes it leaves known.ts`);
  for (const [pattern, reason] of Object.entries(known)) if (!chosen) t.comment(`not played: ${pattern}: ${reason}`);
  const text = table(results);
  for (const line of text.split('\n')) t.comment(line);
  const file = process.env['STALL_TABLE'];
  if (file !== undefined) fs.writeFileSync(file, `${text}\n`);
});
