import t from 'tap';
import { sortInSteps } from '../../../lib/collections/sort-in-steps.js';
import { atOnce } from '../../../lib/time-slice.js';
import { random } from '../../random.js';

t.test('items are sorted in steps, and equal ones keep their order', async t => {
  const { below } = random(1);
  for (const length of [0, 1, 511, 512, 513, 1024, 5000]) {
    const items = Array.from({ length }, (_, at) => ({ key: below(300), at }));
    const order = (a: { key: number }, b: { key: number }): number => a.key - b.key;
    const expected = items.map(({ key, at }) => [key, at]).sort(([a = 0], [b = 0]) => a - b);
    t.same(
      atOnce(sortInSteps(items, order)).map(({ key, at }) => [key, at]),
      expected,
      `${length} items`,
    );
  }
  let steps = 0;
  for (const _ of sortInSteps(
    Array.from({ length: 5000 }, (_, i) => -i),
    (a, b) => a - b,
  ))
    steps++;
  t.ok(steps > 40, 'no step has more than some hundred items');
});
