/** What many clients ask for in one turn of the event loop: how much of it runs, in which order, and that all of it does. */
import t from 'tap';
import { TurnQueue } from '../../lib/turn-queue.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const tick = (): Promise<void> => new Promise(resolve => process.nextTick(resolve));

/** A queue whose clock moves only when a task takes time. */
function ground(budget = 10) {
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
  const { queue, ran, task } = ground();
  const lane = queue.lane();
  lane.run(task('a', 4));
  lane.run(task('b', 4));
  lane.run(task('c', 4));
  t.same(ran, ['a', 'b', 'c'], 'the third began in time');
  lane.run(task('d'));
  t.same(ran, ['a', 'b', 'c']);
  t.equal(lane.waiting, 1);
  await tick();
  t.same(ran, ['a', 'b', 'c'], 'not in this turn');
  await turn();
  t.same(ran, ['a', 'b', 'c', 'd']);
  t.equal(lane.waiting, 0);
});

t.test('what is deferred runs when what happens now has ended', async t => {
  const { queue, ran, task } = ground();
  queue.lane().defer(task('a'));
  t.same(ran, []);
  await tick();
  t.same(ran, ['a']);
});

t.test('clients take turns, and the tasks of each keep their order', async t => {
  const { queue, ran, task } = ground();
  const [greedy, modest] = [queue.lane(), queue.lane()];
  for (let i = 0; i < 6; i++) greedy.defer(task(`g${i}`, 4));
  modest.run(task('m0', 4));
  modest.run(task('m1', 4));
  for (let i = 0; i < 5; i++) await turn();
  t.same(ran, ['g0', 'm0', 'g1', 'm1', 'g2', 'g3', 'g4', 'g5']);
});

t.test('each turn runs as much as there is time for, and one task at least', async t => {
  const { queue, ran, task } = ground();
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

t.test('what tasks leave to promises counts', async t => {
  const { queue, ran, pass } = ground();
  for (let i = 0; i < 100; i++)
    queue.lane().run(() => {
      ran.push('task');
      void Promise.resolve().then(() => pass(4));
    });
  t.equal(ran.length, 8, 'no more than a few before it is known how long they take');
  await tick();
  await turn();
  t.equal(ran.length, 16);
  for (let i = 0; i < 20; i++) await turn();
  t.equal(ran.length, 100);
});

t.test('many short tasks run in one turn', async t => {
  const { queue, ran, task } = ground();
  const lanes = Array.from({ length: 100 }, () => queue.lane());
  for (const [i, lane] of lanes.entries()) for (let j = 0; j < 10; j++) lane.run(task(`${i}`));
  await turn();
  t.equal(ran.length, 1000);
});

t.test('a task that asks for more gets it in its turn', async t => {
  const { queue, ran, task } = ground();
  const [one, two] = [queue.lane(), queue.lane()];
  one.defer(() => {
    task('a', 20)();
    one.run(task('c'));
  });
  two.defer(task('b', 20));
  for (let i = 0; i < 3; i++) await turn();
  t.same(ran, ['a', 'b', 'c']);
});

t.test('a long task knows when the time is over', async t => {
  const { queue, pass } = ground();
  t.notOk(queue.isOver);
  pass(9);
  t.notOk(queue.isOver);
  pass(1);
  t.ok(queue.isOver);
  await turn();
  t.notOk(queue.isOver);
});

t.test('pieces of work between awaits take turns with those of other lanes, after each look at the clock', async t => {
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
  t.same(ran, ['a0', 'a1'], 'as long as there is time nothing is awaited');
  await turn();
  t.same(ran, ['a0', 'a1', 'a2', 'b0']);
  await all;
  t.same(ran, ['a0', 'a1', 'a2', 'b0', 'a3', 'b1', 'a4', 'b2']);
});
