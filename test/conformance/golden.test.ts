/** The functions behind Karmada's decisions, against what the real ones were seen to decide. */
import t from 'tap';
import { checks } from './golden/checks.js';

for (const { area, part, run } of checks)
  t.test(`${area}: ${part}`, async t => {
    const results = await run();
    t.ok(results.length > 20, `${results.length} vectors`);
    t.same(
      results.filter(({ problems }) => problems.length > 0),
      [],
    );
  });
