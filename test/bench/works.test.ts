/** The experiment with Works measures every step, and the cost of a change is that of the changed Works. */
import t from 'tap';
import { runWorks, worksTable } from '../../bench/works/run-works.js';

const skip = process.platform === 'linux' ? false : 'there is no /proc to read';

t.test('Works are created, changed, and found again after a restart', { skip, timeout: 300_000 }, async t => {
  const logged: string[] = [];
  const steps = await runWorks({
    ...{ templates: 20, members: 2, idleSeconds: 1, quietSeconds: 2, flags: [] },
    log: line => void logged.push(line),
  });
  t.same(
    steps.map(({ what, works }) => [what, works]),
    [
      ['create', 40],
      ['idle', 40],
      ['change 1', 2],
      ['change 2', 4],
      ['restart', 40],
      ['idle after restart', 40],
    ],
  );
  t.equal(logged.length, steps.length, 'every step is logged');
  for (const { what, seconds, cpuSeconds, residentBytes, peakBytes } of steps) {
    t.ok(seconds > 0, `${what}: time`);
    t.ok(cpuSeconds >= 0, `${what}: CPU time`);
    t.ok(residentBytes > 0 && peakBytes >= residentBytes, `${what}: memory`);
  }
  const rows = worksTable(steps).split('\n');
  t.equal(rows.length, steps.length + 2);
  t.match(rows[2], /^\| create +\| +40 \|/);
});
