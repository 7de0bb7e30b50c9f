/** The experiment with search sends every kind of request, and finds what it has created. */
import t from 'tap';
import { runSearch, searchTable } from '../../bench/search/run-search.js';

const skip = process.platform === 'linux' ? false : 'there is no /proc to read';

t.test('queries over the Pods of members', { skip, timeout: 300_000 }, async t => {
  const logged: string[] = [];
  const result = await runSearch({
    ...{ objects: 1001, members: 2, requests: 3, flags: [] },
    log: line => void logged.push(line),
  });
  const { rows, fillSeconds } = result;
  t.equal(logged.length, rows.length + 2, 'every step is logged');
  t.ok(fillSeconds > 0);
  for (const { what, p50Ms, p99Ms, cpuMs, heldMs } of rows) {
    t.ok(p50Ms > 0 && p99Ms >= p50Ms, `${what}: latency`);
    t.ok(cpuMs >= 0 && heldMs >= 0, `${what}: CPU time`);
  }
  const bytesOf = (what: string): number => rows.find(row => row.what === what)?.answerBytes ?? 0;
  t.ok(bytesOf('list by a label') > 3 * bytesOf('list by a label that no object has'), 'the selector finds Pods');
  t.ok(bytesOf('list by spec.nodeName') > 3 * bytesOf('list by a label that no object has'), 'the field finds Pods');
  t.equal(searchTable(result).split('\n').length, rows.length + 2);
});
