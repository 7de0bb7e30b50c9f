import t from 'tap';
import { eachConcurrently } from '../../lib/each-concurrently.js';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

t.test('items are begun in their order, a limited number at a time', async t => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  await eachConcurrently(numbers(10), 3, async i => {
    begun.push(i);
    most = Math.max(most, ++running);
    // The first ones take longest.
    for (let turn = i; turn < 10; turn++) await new Promise(setImmediate);
    running--;
  });
  t.same(begun, numbers(10));
  t.equal(most, 3);
  await eachConcurrently([], 3, () => Promise.reject(new Error('there is no item')));
});

t.test(
  'after an error the calls that run end first, and others are begun as long as fewer have failed than may run',
  async t => {
    const ended: number[] = [];
    const act = async (i: number): Promise<void> => {
      if (i === 1) throw new Error('first');
      if (i === 2) throw new Error('second');
      await new Promise(setImmediate);
      ended.push(i);
    };
    await t.rejects(eachConcurrently(numbers(6), 3, act), { message: 'first' });
    t.same(ended, [0, 3, 4, 5]);
    const begun: number[] = [];
    const failing = (i: number): Promise<void> => {
      begun.push(i);
      return Promise.reject(new Error(String(i)));
    };
    await t.rejects(eachConcurrently(numbers(6), 3, failing), { message: '0' });
    t.same(begun, [0, 1, 2]);
  },
);
