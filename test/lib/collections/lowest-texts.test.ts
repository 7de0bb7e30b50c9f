import t from 'tap';
import { LowestTexts } from '../../../lib/collections/lowest-texts.js';
import { random } from '../../random.js';

t.test('the lowest texts of many are kept, sorted', t => {
  const { below } = random(5);
  for (const [count, size] of [
    [0, 100],
    [1, 3000],
    [50, 20],
    [100, 5000],
  ] as const) {
    const lowest = new LowestTexts(count);
    const all = Array.from({ length: size }, () => `t${below(100_000)}`);
    for (const text of all) lowest.add(text);
    t.equal(lowest.sorted().join(), all.sort().slice(0, count).join(), `${count} of ${size}`);
  }
  t.end();
});
