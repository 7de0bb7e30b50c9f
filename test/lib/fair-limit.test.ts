import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { FairLimit } from '../../lib/fair-limit.js';

const full = { message: 'too many tasks are waiting' };

/** Tasks that note their start, and end when they are told to. */
function tasks() {
  const begun: string[] = [];
  const running = new Map<string, () => void>();
  const task = (name: string) => () =>
    new Promise<string>(resolve => {
      begun.push(name);
      running.set(name, () => resolve(name));
    });
  const end = async (name: string): Promise<void> => {
    while (!running.has(name)) await setImmediate();
    running.get(name)?.();
  };
  return { begun, task, end };
}

t.test('a limited number of tasks runs, and clients take turns', async t => {
  const { begun, task, end } = tasks();
  const limit = new FairLimit(2, { length: 4, lengthPerKey: 4, bytes: 100 });
  const results = new Map(
    ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(name => [name, limit.run(task(name), { key: name[0], size: 1 })]),
  );
  t.same(begun, ['a1', 'a2']);
  t.equal(limit.waiting, 4);
  const order = ['a1', 'a2', 'a3', 'b1', 'c1', 'a4'];
  for (const name of order) {
    await end(name);
    t.equal(await results.get(name), name);
  }
  t.same(begun, order);
  t.equal(limit.waiting, 0);
});

t.test('a failed task makes room for the next one', async t => {
  const limit = new FairLimit(1, { length: 4, lengthPerKey: 4, bytes: 100 });
  const failed = limit.run(() => Promise.reject(new Error('broken')), { key: 'a', size: 1 });
  const next = limit.run(() => Promise.resolve('done'), { key: 'a', size: 1 });
  await t.rejects(failed, { message: 'broken' });
  t.equal(await next, 'done');
});

t.test('tasks that end at once do not hold the event loop', async t => {
  const limit = new FairLimit(1, { length: 100, lengthPerKey: 100, bytes: 100 });
  let ended = 0;
  const tasks = Array.from({ length: 50 }, () => limit.run(async () => void ended++, { key: 'a', size: 1 }));
  for (let turn = 1; turn <= 10; turn++) {
    await setImmediate();
    t.ok(ended <= turn + 1, `${ended} tasks after ${turn} turns`);
  }
  await Promise.all(tasks);
  t.equal(ended, 50);
});

t.test('a client that fills the queue does not keep others out', async t => {
  const { task, end } = tasks();
  const limit = new FairLimit(1, { length: 4, lengthPerKey: 4, bytes: 100 });
  const run = (name: string, size = 1) => limit.run(task(name), { key: name[0], size });
  const running = run('a0');
  const waiting = [run('a1'), run('a2'), run('a3'), run('a4')];
  await t.rejects(run('a5'), full, 'its own tasks');
  const other = run('b1');
  await t.rejects(waiting[3] ?? running, full, 'the newest one of the busiest client gave way');
  const third = run('c1');
  await t.rejects(waiting[2] ?? running, full);
  await t.rejects(run('b2'), full, 'a client with as many tasks as the busiest one');
  t.equal(limit.waiting, 4);
  for (const name of ['a0', 'a1', 'b1', 'c1', 'a2']) {
    await end(name);
    await (name === 'a0' ? running : name === 'b1' ? other : name === 'c1' ? third : waiting[Number(name[1]) - 1]);
  }
  t.equal(limit.waiting, 0);
});

t.test('waiting tasks are limited by their bytes, too', async t => {
  const { task, end } = tasks();
  const limit = new FairLimit(1, { length: 10, lengthPerKey: 10, bytes: 100 });
  const running = limit.run(task('a0'), { key: 'a', size: 1000 });
  const first = limit.run(task('a1'), { key: 'a', size: 60 });
  await t.rejects(limit.run(task('a2'), { key: 'a', size: 60 }), full);
  await t.rejects(limit.run(task('b1'), { key: 'b', size: 101 }), full, 'larger than the queue');
  const small = limit.run(task('a3'), { key: 'a', size: 40 });
  const other = limit.run(task('b2'), { key: 'b', size: 40 });
  await t.rejects(small, full);
  for (const name of ['a0', 'a1', 'b2']) {
    await end(name);
    await (name === 'a0' ? running : name === 'a1' ? first : other);
  }
});

t.test('a large task displaces only those of a client with more bytes', async t => {
  const { task, end } = tasks();
  const limit = new FairLimit(1, { length: 100, lengthPerKey: 100, bytes: 100 });
  const running = limit.run(task('run'), { key: 'r', size: 1 });
  const small = Array.from({ length: 6 }, (_, i) =>
    limit.run(() => Promise.resolve(`small ${i}`), { key: 'small', size: 5 }),
  );
  const large = [30, 40].map(size => limit.run(() => Promise.resolve(`large ${size}`), { key: 'large', size }));
  await t.rejects(limit.run(task('x'), { key: 'x', size: 80 }), full, 'larger than what any client has');
  t.equal(limit.waiting, 8, 'no task was displaced in vain');
  const other = limit.run(() => Promise.resolve('other'), { key: 'other', size: 20 });
  await t.rejects(large[1] ?? running, full, 'the newest one of the client with the most bytes');
  await end('run');
  t.same(await Promise.all(small), ['small 0', 'small 1', 'small 2', 'small 3', 'small 4', 'small 5']);
  t.same(await Promise.all([running, large[0], other]), ['run', 'large 30', 'other']);
  t.equal(limit.waiting, 0);
});

t.test('tasks that were displaced in vain keep their order', async t => {
  const { begun, task, end } = tasks();
  const limit = new FairLimit(1, { length: 100, lengthPerKey: 100, bytes: 100 });
  const names = ['a0', 'a1', 'a2', 'a3', 'b1', 'b2'];
  const results = names.map(name => limit.run(task(name), { key: name[0], size: name.startsWith('a') ? 20 : 15 }));
  await t.rejects(
    limit.run(task('c1'), { key: 'c', size: 59 }),
    full,
    'one task of a client with 60 bytes is not enough',
  );
  const order = ['a0', 'a1', 'b1', 'a2', 'b2', 'a3'];
  for (const name of order) await end(name);
  await Promise.all(results);
  t.same(begun, order);
});

t.test('a client with as many tasks as it may have displaces none', async t => {
  const { task, end } = tasks();
  const limit = new FairLimit(1, { length: 10, lengthPerKey: 1, bytes: 100 });
  const results = [
    limit.run(task('a0'), { key: 'a', size: 1 }),
    limit.run(task('a1'), { key: 'a', size: 10 }),
    limit.run(task('b1'), { key: 'b', size: 90 }),
  ];
  await t.rejects(limit.run(task('a2'), { key: 'a', size: 20 }), full);
  t.equal(limit.waiting, 2);
  for (const name of ['a0', 'a1', 'b1']) await end(name);
  t.same(await Promise.all(results), ['a0', 'a1', 'b1']);
});

t.test('connections from one network take turns as one client, and leave room for others', async t => {
  const { begun, task, end } = tasks();
  const limit = new FairLimit(1, { length: 6, lengthPerKey: 2, lengthPerGroup: 5, bytes: 100 });
  const run = (name: string) => limit.run(task(name), { key: name.slice(0, 2), group: name[0], size: 1 });
  const running = run('a1');
  const flood = ['a2', 'a3', 'a4', 'a5', 'a6'].map(run);
  await t.rejects(run('a7'), full, 'a sixth connection of the network');
  const others = [run('b1'), run('c1')];
  await t.rejects(flood.at(-1) ?? running, full, 'the newest one of the network with the most');
  const order = ['a1', 'a2', 'b1', 'c1', 'a3', 'a4', 'a5'];
  for (const name of order) await end(name);
  await Promise.all([running, ...flood.slice(0, -1), ...others]);
  t.same(begun, order);
  t.equal(limit.waiting, 0);
});

t.test(
  'a connection of a network that fills its part displaces the busiest one there, and takes turns with it',
  async t => {
    const { begun, task, end } = tasks();
    const limit = new FairLimit(1, { length: 9, lengthPerKey: 3, lengthPerGroup: 3, bytes: 100 });
    const run = (name: string, size = 1) => limit.run(task(name), { key: name.slice(0, 2), group: name[0], size });
    const results = [run('a0'), run('a1.1'), run('a1.2'), run('b1.1'), run('b1.2')];
    const last = run('a1.3');
    const newer = run('a2');
    await t.rejects(last, full);
    await t.rejects(run('a3', 99), full, 'too large once there is room');
    const order = ['a0', 'a1.1', 'b1.1', 'a2', 'b1.2', 'a1.2'];
    for (const name of order) await end(name);
    await Promise.all([...results, newer]);
    t.same(begun, order);
  },
);
