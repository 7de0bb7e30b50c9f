import t from 'tap';
import { clampedInteger } from '../../../lib/go/clamped-integer.js';
import { durationMs } from '../../../lib/go/duration.js';
import { uintError } from '../../../apimachinery/meta/resource-version.js';
import { cpuCosts } from '../../cpu-cost.js';

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

t.test('four times the digits take four times as long, not sixteen times', async t => {
  const size = 4_000_000;
  const reading = (text: string) => () => clampedInteger(text);
  const limitOf = (short: number): number => short * 10 + 5;
  const [short, long] = await cpuCosts(reading('0'.repeat(size)), reading('0'.repeat(4 * size)), limitOf);
  t.ok(long < limitOf(short), `${short} and ${long} ms`);
  t.match(uintError('9'.repeat(1_000_000)), /value out of range$/);
});

t.test('a duration has a bounded number of terms', async t => {
  t.equal(durationMs('1ms'.repeat(100)), 100);
  t.throws(() => durationMs('1ns'.repeat(1_000_000)), { message: /^time: invalid duration/ });
});
