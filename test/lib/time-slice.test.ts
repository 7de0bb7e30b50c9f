/** Long work shares the turns of the event loop. Sockets and timers wait at most for one slice and one step. */
import { performance } from 'node:perf_hooks';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import {
  atOnce,
  eachInTurns,
  inTimeSlices,
  nextTurn,
  Strides,
  TimeSlice,
  WalkPauses,
  type InSteps,
} from '../../lib/time-slice.js';
import { countTurns } from '../count-turns.js';

/** Keeps the CPU busy for `ms` milliseconds. */
function hold(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function* steps(count: number, ms: number, onStep: () => void = () => undefined): InSteps<number> {
  for (let i = 0; i < count; i++) {
    hold(ms);
    onStep();
    yield;
  }
  return count;
}

t.test('work that fits one slice is done at once', async t => {
  // The slice of the current turn may be used up, and on a busy machine a slice may pass while this thread waits for a CPU.
  let result: unknown;
  do {
    await immediate();
    result = inTimeSlices(steps(3, 0));
  } while (result instanceof Promise);
  t.equal(result, 3);
  t.equal(atOnce(steps(3, 0)), 3);
});

t.test('longer work goes on in later turns', async t => {
  const loop = countTurns();
  const result = inTimeSlices(steps(20, 4));
  t.ok(result instanceof Promise);
  t.equal(await result, 20);
  t.ok(loop.turns >= 8, `${loop.turns} turns for 80 ms of work`);
  loop.stop();
});

t.test('all work together gets one slice per turn', async t => {
  const loop = countTurns();
  let inTurn = 0;
  let longest = 0;
  let turn = 0;
  const onStep = (): void => {
    inTurn = loop.turns === turn ? inTurn + 1 : 1;
    turn = loop.turns;
    longest = Math.max(longest, inTurn);
  };
  await Promise.all(Array.from({ length: 20 }, async () => inTimeSlices(steps(4, 3, onStep))));
  loop.stop();
  // 8 ms end in the third step of 3 ms. The first steps of the other pieces of work wait as well.
  t.ok(longest <= 3, `${longest} steps in one turn`);
  t.ok(loop.turns >= 20, `${loop.turns} turns for 240 ms of work`);
});

t.test('work is resumed in the order in which it paused', async t => {
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async (_, i) => {
      await nextTurn();
      hold(3);
      order.push(i);
    }),
  );
  t.same(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

t.test('an error in a step rejects the caller, in the first slice and later', async t => {
  function* failing(ms: number): InSteps<never> {
    hold(ms);
    yield;
    throw new Error('no');
  }
  const thrownAtOnce = async (): Promise<unknown> => {
    await immediate();
    try {
      await Promise.resolve(inTimeSlices(failing(0))).catch(() => undefined);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  // As above, the first slice may be over before the second step.
  let thrown: unknown;
  while (thrown === undefined) thrown = await thrownAtOnce();
  t.match(thrown, { message: 'no' });
  await t.rejects(async () => inTimeSlices(failing(20)), { message: 'no' });
});

t.test('a walk over items yields to other turns', async t => {
  const loop = countTurns();
  const seen: number[] = [];
  await eachInTurns([1, 2, 3, 4, 5, 6], item => {
    hold(3);
    seen.push(item);
  });
  t.same(seen, [1, 2, 3, 4, 5, 6]);
  t.ok(loop.turns >= 2, `${loop.turns} turns`);
  loop.stop();
});

t.test('work begins in a turn that has time left', async t => {
  const slice = new TimeSlice();
  while (!slice.pause()); // The turn is used up.
  let loops = 0;
  const inTurn = new Map<number, number>();
  const loop = countTurns();
  const walks = Array.from({ length: 20 }, () =>
    eachInTurns([1], () => {
      hold(3);
      loops++;
      inTurn.set(loop.turns, (inTurn.get(loop.turns) ?? 0) + 1);
    }),
  );
  t.equal(loops, 0, 'no first item in this turn');
  await Promise.all(walks);
  loop.stop();
  t.equal(loops, 20);
  t.ok(Math.max(...inTurn.values()) <= 3, `${Math.max(...inTurn.values())} items in one turn`);
});

t.test('a stride ends after its number of items', async t => {
  const strides = new Strides(3);
  t.same(
    [1, 2, 3, 4, 5, 6].map(() => strides.isOver),
    [false, false, true, false, false, true],
  );
});

t.test('walks that begin in one turn share its time', async t => {
  await immediate();
  const loop = countTurns();
  const inTurn = new Map<number, number>();
  const walk = async (): Promise<void> => {
    const pauses = new WalkPauses();
    for (let i = 0; i < 2; i++) {
      const pause = pauses.next();
      if (pause) await pause;
      hold(0.9);
      inTurn.set(loop.turns, (inTurn.get(loop.turns) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 40 }, walk));
  loop.stop();
  const most = Math.max(...inTurn.values());
  // The slice of 8 ms ends in the ninth item. The walk in which it ends may have a part of its millisecond left.
  t.ok(most <= 11, `${most} items in one turn`);
});
