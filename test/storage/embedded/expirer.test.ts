/** Values expire in turns of the event loop: after a long stop, that may be most of a store. */
import t from 'tap';
import { TimeSlice } from '../../../lib/time-slice.js';
import { Expirer } from '../../../storage/embedded/expirer.js';
import { MemoryItem } from '../../../storage/embedded/files/memory-item.js';
import type { Revision } from '../../../storage/interface.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../until.js';

/** Uses up the time of this turn. */
function useUpTurn(): void {
  const slice = new TimeSlice();
  while (!slice.pause());
}

const keys = ['/a', '/b', '/c', '/d'];

/** Returns values that expire a second after the beginning of the clock. They count how many were read. */
function* values(now: number, read: string[]): Generator<MemoryItem> {
  for (const [i, key] of keys.entries()) {
    read.push(key);
    yield new MemoryItem(key, Buffer.from('x'), (i + 1) as Revision, now + 1000);
  }
}

t.test('the values of a store are scheduled in turns', async t => {
  const clock = steppedClock();
  const removed: string[] = [];
  const expirer = new Expirer(clock, key => Promise.resolve(void removed.push(key)));
  t.teardown(() => expirer.stop());
  const read: string[] = [];
  useUpTurn();
  const started = expirer.start(values(clock.now(), read));
  t.same(read, [], 'the turn has no time left');
  await started;
  t.same(read, keys);
  t.same(removed, []);
  clock.advance(1000);
  await until('all are removed', () => removed.length === keys.length);
});

t.test('values that expire at once are removed in turns', async t => {
  const clock = steppedClock();
  const removed: string[] = [];
  let inFirstTurn: number | undefined;
  const expirer = new Expirer(clock, key => {
    if (removed.length === 0) setImmediate(() => (inFirstTurn = removed.length));
    removed.push(key);
    useUpTurn();
    return Promise.resolve();
  });
  t.teardown(() => expirer.stop());
  await expirer.start(values(clock.now(), []));
  clock.advance(1000);
  await until('all are removed', () => removed.length === keys.length);
  t.equal(inFirstTurn, 1);
});
