import t from 'tap';
import { depthOf, isDeeperThan } from '../../../lib/json/depth.js';
import { random as randomOf } from '../../random.js';

t.test('a text is as deep as its value', async t => {
  const random = randomOf(1);
  const make = (depth: number): unknown => {
    if (depth === 0 || random.chance(0.2)) return random.pick(['', '"', '\\', '{[{', '}]', 'a\\"[', 1, null, true]);
    const parts = Array.from({ length: random.below(4) }, () => make(depth - 1));
    return random.chance(0.5) ? parts : Object.fromEntries(parts.map((part, i) => [`{"[\\${i}`, part]));
  };
  for (let i = 0; i < 2000; i++) {
    const value = make(8);
    const text = JSON.stringify(value, undefined, random.below(2));
    const depth = depthOf(value);
    for (const most of [depth - 1, depth, depth + 1])
      if (most >= 0) t.equal(isDeeperThan(text, most), depth > most, `${text} ${most}`);
  }
});
