import t from 'tap';
import { clampedInteger } from '../../../lib/go/clamped-integer.js';
import { durationMs } from '../../../lib/go/duration.js';
import { uintError } from '../../../apimachinery/meta/resource-version.js';

t.test('numbers of 64 bits are exact, and all others are out of range', async t => {
  for (const [text, value] of [
    ['0', 0n],
    ['-0', 0n],
    ['+7', 7n],
    ['0000000000000000000000000000007', 7n],
    ['-0000000000000000000000000000007', -7n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['99999999999999999999', 99999999999999999999n],
  ] as const)
    t.equal(clampedInteger(text), value, text);
  t.ok(clampedInteger('9'.repeat(21)) > 2n ** 64n);
  t.ok(clampedInteger(`-${'9'.repeat(21)}`) < -(2n ** 64n));
});

/** Returns the CPU milliseconds of `work`: the minimum of several runs. */
function cost(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

t.test('four times the digits take four times as long, not sixteen times', async t => {
  const size = 4_000_000;
  const times = [size, 4 * size].map(size => cost(() => clampedInteger('0'.repeat(size))));
  const [short = 0, long = 0] = times;
  t.ok(long < short * 10 + 5, `${times.join(' and ')} ms`);
  t.match(uintError('9'.repeat(1_000_000)), /value out of range$/);
});

t.test('a duration has a bounded number of terms', async t => {
  t.equal(durationMs('1ms'.repeat(100)), 100);
  t.throws(() => durationMs('1ns'.repeat(1_000_000)), { message: /^time: invalid duration/ });
});
