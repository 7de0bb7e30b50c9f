import t from 'tap';
import { ValueSet } from '../../../../kinds/shared/schedule/value-set.js';

const all = Array.from({ length: 64 }, (_, i) => i);

t.test('a range has every step from its start to its end', async t => {
  const wrong: string[] = [];
  for (const start of all)
    for (const end of all.slice(start))
      for (const step of [1, 2, 3, 5, 7, 16, 31, 32, 33, 59, 63, 1e20, Infinity]) {
        const set = new ValueSet();
        set.addRange(start, end, step);
        const expected = all.filter(
          value => value === start || (value > start && value <= end && (value - start) % step === 0),
        );
        if (all.filter(value => set.has(value)).join() !== expected.join()) wrong.push(`${start}-${end}/${step}`);
      }
  t.same(wrong, []);
});

t.test('ranges are added to each other', async t => {
  const set = new ValueSet();
  set.addRange(3, 3, 1);
  set.addRange(30, 40, 4);
  t.strictSame(
    all.filter(value => set.has(value)),
    [3, 30, 34, 38],
  );
});
