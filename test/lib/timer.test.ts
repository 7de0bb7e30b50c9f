import t from 'tap';
import { timerMs } from '../../lib/timer.js';

const cases = [
  { name: 'what a timer takes', given: 1500, expect: 1500 },
  { name: 'a time that has passed', given: -1000, expect: 0 },
  { name: 'longer than a timer runs', given: 2 ** 31, expect: 2 ** 31 - 1 },
  { name: 'never', given: Infinity, expect: 2 ** 31 - 1 },
];

for (const { name, given, expect } of cases)
  t.test(name, async t => {
    t.equal(timerMs(given), expect);
  });
