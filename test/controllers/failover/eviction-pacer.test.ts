import t from 'tap';
import { EvictionPacer } from '../../../controllers/failover/eviction-pacer.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';

/** A pacer of one eviction in ten seconds that may begin at once. */
function scene(pace = { intervalMs: 10_000, notBefore: -Infinity }) {
  const clock = steppedClock();
  const woken: string[] = [];
  const pacer = new EvictionPacer(clock, key => woken.push(key));
  pacer.setPace(pace);
  const advance = async (milliseconds: number, expected: number): Promise<void> => {
    clock.advance(milliseconds);
    await until('keys are woken', () => woken.length === expected);
  };
  return { clock, woken, pacer, advance };
}

t.test('keys are granted in order, one in each interval', async t => {
  const { pacer, woken, advance } = scene();
  t.strictSame(
    ['a', 'b', 'c', 'b'].map(key => pacer.mayEvict(key)),
    [true, false, false, false],
  );
  t.equal(pacer.depth, 3);
  pacer.evicted('a');
  await advance(10_000, 1);
  t.strictSame(woken, ['b']);
  t.ok(pacer.mayEvict('b'));
  t.notOk(pacer.mayEvict('c'));
  t.strictSame([...pacer.due()], ['b', 'c']);
  pacer.evicted('b');
  await advance(10_000, 2);
  t.ok(pacer.mayEvict('c'));
  pacer.evicted('c');
  t.equal(pacer.depth, 0);
});

t.test('an eviction that is not needed takes no turn', async t => {
  const { pacer, woken } = scene();
  for (const key of ['a', 'b', 'c']) pacer.mayEvict(key);
  pacer.withdraw('b');
  pacer.withdraw('a');
  t.strictSame(woken, ['c'], 'c takes the turn of a');
  t.ok(pacer.mayEvict('c'));
});

t.test('nothing is granted while evictions are paused', async t => {
  const { pacer, woken, clock, advance } = scene({ intervalMs: 10_000, notBefore: Infinity });
  t.strictSame(
    ['a', 'b'].map(key => pacer.mayEvict(key)),
    [false, false],
  );
  pacer.setPace({ intervalMs: 10_000, notBefore: clock.now() + 5000 });
  t.strictSame(woken, []);
  await advance(5000, 1);
  t.strictSame(woken, ['a']);
  pacer.setPace({ intervalMs: 10_000, notBefore: Infinity });
  t.notOk(pacer.mayEvict('a'), 'a grant that was not used is taken back');
  t.equal(pacer.depth, 2);
  pacer.setPace({ intervalMs: 1000, notBefore: -Infinity });
  await advance(1000, 2);
  t.strictSame(woken, ['a', 'b']);
});

t.test('a faster pace shortens the wait', async t => {
  const { pacer, woken, clock } = scene();
  pacer.mayEvict('a');
  pacer.mayEvict('b');
  clock.advance(2000);
  pacer.setPace({ intervalMs: 2000, notBefore: -Infinity });
  t.strictSame(woken, ['b']);
  pacer.close();
  pacer.mayEvict('c');
  t.equal(clock.sleeping, 0, 'a closed pacer has no timer');
});

t.test('keys that wait share a timer', async t => {
  const clock = steppedClock();
  let timers = 0;
  const counting = {
    now: () => clock.now(),
    sleep(milliseconds: number, signal?: AbortSignal) {
      timers++;
      return clock.sleep(milliseconds, signal);
    },
  };
  const pacer = new EvictionPacer(counting, () => undefined);
  pacer.setPace({ intervalMs: 10_000, notBefore: -Infinity });
  for (let i = 0; i < 1000; i++) pacer.mayEvict(String(i));
  t.equal(pacer.depth, 1000);
  t.equal(timers, 1);
});
