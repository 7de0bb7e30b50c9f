/** The tables of docs/security.md about hostile input name the rows of the stall suites. */
import t from 'tap';
import { rowsOfClients, rowsOfExtensions } from '../stalls/rows/all.js';
import { quoted, read, tableRows } from './documents.js';

const rows = [...rowsOfClients, ...rowsOfExtensions].map(({ name }) => name.split('/') as [string, string]);
const inputs = [...new Set(rows.map(([input]) => input))].sort();
const shapesOf = (input: string): string[] => rows.flatMap(([of, shape]) => (of === input ? [shape] : []));

const [, text = ''] = read('docs/security.md').split('## Hostile input');
const tables = tableRows(text.split('\n## ')[0] ?? '');
const sent = tables.filter(cells => cells.length === 2);
const measured = tables.filter(cells => cells.length === 4);

t.test('both tables name every input', async t => {
  const named = (table: readonly string[][]): string[] => table.flatMap(([first = '']) => quoted(first)).sort();
  t.strictSame(named(sent), inputs);
  t.strictSame(named(measured), inputs);
});

t.test('the row with the longest stall of an input exists', async t => {
  for (const [first = '', longest = ''] of measured) {
    const [input = ''] = quoted(first);
    const [row = ''] = quoted(longest);
    t.ok(shapesOf(input).includes(row), `${input} has a row ${row}`);
  }
});
