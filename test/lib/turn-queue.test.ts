/** The tasks that many clients queue in one turn of the event loop: how many run per turn, in which order, and that all run. */
import t from 'tap';
import { TurnQueue } from '../../lib/turn-queue.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const tick = (): Promise<void> => new Promise(resolve => process.nextTick(resolve));

/** Returns a queue with a clock that only tasks move. */
function setup(budget = 10) {
  let now = 1;
  const queue = new TurnQueue({ budget, clock: () => now });
  const ran: string[] = [];
  const task =
    (name: string, takes = 0) =>
    (): void => {
      ran.push(name);
      now += takes;
    };
  return { queue, ran, task, pass: (ms: number) => (now += ms) };
}

t.test('a task runs at once while there is time', async t => {
  const { queue, ran, task } = setup();
  const lane = queue.lane();
  lane.run(task('a', 4));
  lane.run(task('b', 4));
  lane.run(task('c', 4));
  t.same(ran, ['a', 'b', 'c'], 'the third task starts within the budget');
  lane.run(task('d'));
  t.same(ran, ['a', 'b', 'c']);
  t.equal(lane.waiting, 1);
  await tick();
  t.same(ran, ['a', 'b', 'c'], 'not in this turn');
  await turn();
  t.same(ran, ['a', 'b', 'c', 'd']);
  t.equal(lane.waiting, 0);
});

t.test('a turn does not keep the event loop busy, unless tasks wait for its end', async t => {
  const { queue, task, pass } = setup();
  const lane = queue.lane();
  const immediates = () => process.getActiveResourcesInfo().filter(name => name === 'Immediate').length;
  await new Promise<void>(resolve => {
    setTimeout(() => {
      const before = immediates();
      lane.run(task('a'));
      t.equal(immediates(), before, 'nothing waits');
      pass(10);
      lane.run(resolve); // Runs though nothing else happens.
      t.equal(immediates(), before + 1);
    }, 1);
  });
});

t.test('a deferred task runs after the current callback', async t => {
  const { queue, ran, task } = setup();
  queue.lane().defer(task('a'));
  t.same(ran, []);
  await tick();
  t.same(ran, ['a']);
});

t.test('clients take turns, and the tasks of each keep their order', async t => {
  const { queue, ran, task } = setup();
  const [busy, quiet] = [queue.lane(), queue.lane()];
  for (let i = 0; i < 6; i++) busy.defer(task(`g${i}`, 4));
  quiet.run(task('m0', 4));
  quiet.run(task('m1', 4));
  for (let i = 0; i < 5; i++) await turn();
  t.same(ran, ['g0', 'm0', 'g1', 'm1', 'g2', 'g3', 'g4', 'g5']);
});

t.test('each turn runs the tasks that fit the budget, and at least one', async t => {
  const { queue, ran, task } = setup();
  const lane = queue.lane();
  for (let i = 0; i < 5; i++) lane.defer(task(`${i}`, 5));
  lane.defer(task('long', 100));
  lane.defer(task('last', 1));
  const counts: number[] = [];
  for (let i = 0; i < 5; i++) {
    await turn();
    counts.push(ran.length);
  }
  t.same(counts, [2, 4, 6, 7, 7]);
});

t.test('time in promise callbacks of tasks counts', async t => {
  const { queue, ran, pass } = setup();
  for (let i = 0; i < 100; i++)
    queue.lane().run(() => {
      ran.push('task');
      void Promise.resolve().then(() => pass(4));
    });
  t.equal(ran.length, 8, 'only a few tasks run before their duration is known');
  await tick();
  await turn();
  t.equal(ran.length, 16);
  for (let i = 0; i < 20; i++) await turn();
  t.equal(ran.length, 100);
});

t.test('many short tasks run in one turn', async t => {
  const { queue, ran, task } = setup();
  const lanes = Array.from({ length: 100 }, () => queue.lane());
  for (const [i, lane] of lanes.entries()) for (let j = 0; j < 10; j++) lane.run(task(`${i}`));
  await turn();
  t.equal(ran.length, 1000);
});

t.test('a task that is queued by a task waits for the other lanes', async t => {
  const { queue, ran, task } = setup();
  const [one, two] = [queue.lane(), queue.lane()];
  one.defer(() => {
    task('a', 20)();
    one.run(task('c'));
  });
  two.defer(task('b', 20));
  for (let i = 0; i < 3; i++) await turn();
  t.same(ran, ['a', 'b', 'c']);
});

t.test('isOver is true once the budget of the turn is used', async t => {
  const { queue, pass } = setup();
  t.notOk(queue.isOver);
  pass(9);
  t.notOk(queue.isOver);
  pass(1);
  t.ok(queue.isOver);
  await turn();
  t.notOk(queue.isOver);
});

t.test('work with pauses alternates with other lanes', async t => {
  let now = 1;
  const queue = new TurnQueue({ budget: 10, tasksInARow: 1, clock: () => now });
  const ran: string[] = [];
  const work = async (name: string, pieces: number): Promise<void> => {
    const lane = queue.lane();
    for (let i = 0; i < pieces; i++) {
      const turn = lane.pause();
      if (turn) await turn;
      ran.push(`${name}${i}`);
      now += 5;
    }
  };
  const all = Promise.all([work('a', 5), work('b', 3)]);
  t.same(ran, ['a0', 'a1'], 'within the budget a pause returns no promise');
  await turn();
  t.same(ran, ['a0', 'a1', 'a2', 'b0']);
  await all;
  t.same(ran, ['a0', 'a1', 'a2', 'b0', 'a3', 'b1', 'a4', 'b2']);
});

t.test('with a quantum, lanes get the same time, however long their tasks are', async t => {
  let now = 1;
  const queue = new TurnQueue({ budget: 20, tasksInARow: 1, quantum: 2, clock: () => now });
  const used = { short: 0, long: 0, several: 0 };
  const ends = 2000;
  const work = async (name: keyof typeof used, takes: number, lane = queue.lane()): Promise<void> => {
    while (now < ends) {
      const turn = lane.pause();
      if (turn) await turn;
      used[name] += takes;
      now += takes;
    }
  };
  const shared = queue.lane();
  await Promise.all([
    work('short', 0.1),
    work('long', 30),
    ...[1, 2, 3].map(() => work('several', 1, shared)), // Several readers of one client have one share.
  ]);
  for (const [name, time] of Object.entries(used))
    t.ok(Math.abs(time - ends / 3) < 80, `${name} had ${Math.round(time)} ms`);
});

t.test('with a quantum, a lane that is alone waits for nobody', async t => {
  let now = 1;
  const queue = new TurnQueue({ budget: 10, tasksInARow: 1, quantum: 1, clock: () => now });
  const lane = queue.lane();
  let turns = 0;
  const count = (): void => {
    turns++;
    if (now < 1000) setImmediate(count);
  };
  setImmediate(count);
  for (let i = 0; i < 100; i++) {
    await lane.pause();
    now += 10;
  }
  t.ok(turns <= 102, `${turns} turns`);
});

t.test('with a quantum, a lane does not pay for a long task of long ago', async t => {
  let now = 1;
  const queue = new TurnQueue({ budget: 10, tasksInARow: 1, quantum: 1, clock: () => now });
  const lane = queue.lane();
  await lane.pause();
  lane.defer(() => (now += 45));
  await new Promise(resolve => setImmediate(resolve));
  now += 5_000;
  let isDone = false;
  const busy = async (other = queue.lane()): Promise<void> => {
    while (!isDone) {
      await new Promise<void>(resolve => other.defer(resolve));
      now += 0.2;
    }
  };
  const others = Array.from({ length: 20 }, () => busy());
  const began = now;
  await new Promise<void>(resolve => lane.defer(resolve));
  const waited = now - began;
  isDone = true;
  await Promise.all(others);
  t.ok(waited < 50, `waited for ${waited.toFixed(1)} ms`);
});
