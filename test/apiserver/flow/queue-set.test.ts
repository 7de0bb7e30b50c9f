import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { type Queue, QueueSet, type QueuedRequest } from '../../../apiserver/flow/queue-set.js';

class Job implements QueuedRequest {
  readonly seats: number;
  readonly finalSeats = 0;
  readonly latency = 0;
  readonly name: string;
  readonly order: string[];
  queue: Queue | undefined;
  startedAt = 0;

  constructor(name: string, order: string[], seats = 1) {
    this.name = name;
    this.order = order;
    this.seats = seats;
  }

  run(): void {
    this.order.push(this.name);
  }
}

const queuing = { queues: 8, handSize: 1, queueLengthLimit: 3 };

t.test('without queues a request is rejected if there is no free seat', async t => {
  const set = new QueueSet(() => 0);
  set.limit = 2;
  const jobs = ['a', 'b', 'c'].map(name => new Job(name, []));
  t.same(
    jobs.map(job => set.start(job, undefined)),
    ['runs', 'runs', 'concurrency-limit'],
  );
  set.finish(jobs[0] as Job);
  t.equal(set.start(new Job('d', []), undefined), 'runs');
  t.match(set, { executing: 2, seatsInUse: 2, waiting: 0 });
});

t.test('a full queue rejects', async t => {
  const set = new QueueSet(() => 0);
  set.configure(queuing);
  set.limit = 1;
  const order: string[] = [];
  const jobs = ['a', 'b', 'c', 'd', 'e'].map(name => new Job(name, order));
  t.same(
    jobs.map(job => set.start(job, [0])),
    ['runs', 'waits', 'waits', 'waits', 'queue-full'],
  );
  t.equal(set.leave(jobs[2] as Job), true, 'a waiting request can leave');
  t.equal(set.leave(jobs[0] as Job), false, 'an executing request cannot leave the queue');
  for (const name of ['a', 'b']) set.finish(jobs.find(job => job.name === name) as Job);
  t.same(order, ['b', 'd'], 'the first request of a queue is executed first');
  set.finish(jobs[3] as Job);
  t.match(set, { executing: 0, seatsInUse: 0, waiting: 0, seatsWaiting: 0, busyQueues: 0 });
});

t.test('a flow with many requests delays itself, not the others', async t => {
  let now = 0;
  const set = new QueueSet(() => now);
  set.configure({ ...queuing, queueLengthLimit: 100 });
  set.limit = 1;
  const order: string[] = [];
  const running: Job[] = [];
  const start = (name: string, queue: number): void => {
    const job = new Job(name, order);
    if (set.start(job, [queue]) === 'runs') job.run();
    running.push(job);
  };
  for (let i = 0; i < 20; i++) start('elephant', 0);
  for (let i = 0; i < 3; i++) start('mouse', 1);
  for (let done = 0; done < running.length; done++) {
    now += 10;
    const name = order[done] as string;
    const job = running.find(
      each => each.name === name && each.queue && each.startedAt >= 0 && !each.queue.waiting.has(each),
    );
    t.ok(job);
    if (!job) return;
    set.finish(job);
    running[running.indexOf(job)] = new Job('gone', []);
  }
  const last = order.lastIndexOf('mouse');
  t.ok(last <= 7, `the other flow is done after ${last + 1} of ${order.length}`);
  t.equal(order.length, 23);
});

t.test('a request with more seats than the limit runs alone, and blocks later ones until then', async t => {
  const set = new QueueSet(() => 0);
  set.configure(queuing);
  set.limit = 2;
  const order: string[] = [];
  const [small, wide, later] = [new Job('small', order), new Job('wide', order, 5), new Job('later', order)];
  t.equal(set.start(small, [0]), 'runs');
  t.equal(set.start(wide, [0]), 'waits');
  t.equal(set.start(later, [0]), 'waits');
  set.finish(small);
  t.same(order, ['wide']);
  set.finish(wide);
  t.same(order, ['wide', 'later']);
});

t.test('a higher limit admits more requests', async t => {
  const set = new QueueSet(() => 0);
  set.configure(queuing);
  set.limit = 1;
  const order: string[] = [];
  for (const name of ['a', 'b', 'c']) set.start(new Job(name, order), [0]);
  set.limit = 3;
  t.same(order, ['b', 'c']);
});

t.test('seats are occupied after the end of a request', async t => {
  const set = new QueueSet(() => 0);
  set.limit = 4;
  const job = Object.assign(new Job('a', []), { finalSeats: 3, latency: 1 });
  set.start(job, undefined);
  t.equal(set.seatsInUse, 3, 'the maximum of initial and final seats');
  set.finish(job);
  t.equal(set.seatsInUse, 3);
  while (set.seatsInUse > 0) await immediate();
  t.match(set, { seatsInUse: 0, executing: 0 });
});
