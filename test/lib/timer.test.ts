import t from 'tap';
import { timerMs } from '../../lib/timer.js';

const cases = [
  { name: 'a delay that setTimeout accepts', given: 1500, expect: 1500 },
  { name: 'a negative delay is zero', given: -1000, expect: 0 },
  { name: 'a delay above the maximum of setTimeout', given: 2 ** 31, expect: 2 ** 31 - 1 },
  { name: 'an infinite delay', given: Infinity, expect: 2 ** 31 - 1 },
];

for (const { name, given, expect } of cases)
  t.test(name, async t => {
    t.equal(timerMs(given), expect);
  });
