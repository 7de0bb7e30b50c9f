/** Groups of keys share the workers of a queue. */
import t from 'tap';
import { KeyQueue } from '../../../client/runtime/queue.js';
import { until } from '../../storage/until.js';

const limits = { baseMs: 1, maxMs: 1000, perSecond: 1000, burst: 100 };
const byCluster = { of: (key: string) => key.split('/')[0] ?? '', maxWorkers: 2 };
const grouped = (rates = limits): KeyQueue => new KeyQueue(rates, Date.now, undefined, byCluster);

/** Takes this many keys; none of the calls may have to wait. */
async function take(queue: KeyQueue, count: number): Promise<(string | undefined)[]> {
  return Promise.all(Array.from({ length: count }, () => queue.take()));
}

t.test('groups take turns', async t => {
  const queue = grouped();
  for (const key of ['a/1', 'a/2', 'a/3', 'b/1', 'c/1']) queue.add(key);
  t.same(await take(queue, 4), ['a/1', 'b/1', 'c/1', 'a/2']);
  t.equal(queue.length, 1);
  queue.close();
});

t.test('a group has as many keys at once as it has workers', async t => {
  const queue = grouped();
  for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key);
  t.same(await take(queue, 2), ['a/1', 'a/2']);
  const next = queue.take();
  queue.add('b/1');
  t.equal(await next, 'b/1', 'a waiting worker gets a key of another group');
  const later = queue.take();
  queue.done('a/2');
  t.equal(await later, 'a/3', 'and a key of the group when one is done');
  queue.close();
});

t.test('a key that is added while it is processed comes in its turn', async t => {
  const queue = grouped();
  queue.add('a/1');
  await queue.take();
  queue.add('a/1');
  queue.add('a/2');
  t.equal(await queue.take(), 'a/2');
  queue.done('a/1');
  t.equal(await queue.take(), 'a/1');
  queue.close();
});

t.test('the keys of a failing group do not take the retries of others', async t => {
  const queue = grouped({ baseMs: 0, maxMs: 1, perSecond: 0.001, burst: 2 });
  for (let i = 0; i < 100; i++) queue.addRateLimited(`bad/${i}`);
  queue.addRateLimited('good/1');
  queue.addRateLimited('good/2');
  const taken = await take(queue, 4);
  t.same(taken.sort(), ['bad/0', 'bad/1', 'good/1', 'good/2']);
  queue.close();
});

t.test('a group that has failed pauses, and then tries one key at a time until it answers', async t => {
  const queue = grouped();
  for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key);
  await take(queue, 2);
  queue.failGroup('a/1');
  queue.failGroup('a/2');
  queue.done('a/1');
  queue.done('a/2');
  queue.add('b/1');
  t.equal(await queue.take(), 'b/1', 'another group is served meanwhile');
  t.equal(await queue.take(), 'a/3', 'the pause ends');
  const next = queue.take();
  queue.add('b/2');
  t.equal(await next, 'b/2', 'while one key is tried, no other key of the group is');
  queue.forget('a/3');
  queue.add('c/1');
  t.equal(await queue.take(), 'c/1', 'nor after a success, for which nothing may have been sent');
  const waiting = queue.take();
  queue.answered('a');
  t.equal(await waiting, 'a/4', 'after an answer, others follow');
  queue.close();
});

t.test('a group that has failed is tried with keys that have not failed, and works again when it answers', async t => {
  const queue = grouped();
  for (const key of ['a/1', 'a/2']) queue.add(key);
  await take(queue, 2);
  queue.failGroup('a/1');
  for (const key of ['a/1', 'a/2']) {
    queue.addRateLimited(key);
    queue.done(key);
  }
  await until('the failed keys are ready', () => queue.length === 2);
  for (const key of ['a/3', 'a/4']) queue.add(key);
  t.equal(await queue.take(), 'a/3');
  queue.answered('a');
  t.same(await take(queue, 1), ['a/1'], 'the order of arrival');
  queue.close();
});

t.test('a pause lasts for the time that the server has asked for, or until the group is resumed', async t => {
  const queue = grouped();
  for (const key of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key);
  t.same(await take(queue, 2), ['a/1', 'a/2']);
  queue.failGroup('a/1', 3_600_000);
  queue.done('a/1');
  queue.answered('a');
  queue.done('a/2');
  queue.add('b/1');
  t.equal(await queue.take(), 'b/1', 'an answer to a key that began before does not end it');
  const next = take(queue, 2);
  queue.resume('other');
  queue.resume('a');
  t.same(await next, ['a/3', 'a/4'], 'several at once');
  queue.close();
});

t.test('a group that is resumed has all its retries', async t => {
  const queue = grouped({ baseMs: 0, maxMs: 1, perSecond: 0.001, burst: 2 });
  for (let i = 0; i < 100; i++) queue.addRateLimited(`a/${i}`);
  t.same((await take(queue, 2)).sort(), ['a/0', 'a/1']);
  for (const key of ['a/0', 'a/1']) queue.done(key);
  queue.resume('a');
  t.equal(queue.length, 100, 'the keys that have failed are ready at once');
  queue.addRateLimited('b/1');
  queue.addRateLimited('a/100');
  await until('another key is ready', () => queue.length === 102);
  queue.close();
});

t.test('slow groups that are idle take no share of what slow groups may process at once', async t => {
  const queue = grouped();
  const slow = Array.from({ length: 300 }, (_, i) => `slow-${i}/1`);
  for (const key of slow) queue.add(key);
  await take(queue, slow.length);
  for (const key of slow) queue.setSlow(key, true);
  t.equal(queue.maxSlowKeys, slow.length);
  for (const key of slow.slice(1)) queue.done(key);
  t.equal(queue.maxSlowKeys, 256);
  queue.add('slow-0/2');
  t.equal(await queue.take(), 'slow-0/2', 'the active one has as many keys as a group may have');
  queue.failGroup('slow-1/1');
  queue.add('slow-1/2');
  queue.resume('slow-1');
  t.equal(await queue.take(), 'slow-1/2');
  queue.close();
});

t.test('very many groups, one after another', async t => {
  const queue = grouped();
  queue.add('used/1');
  queue.add('used/2');
  t.equal(await queue.take(), 'used/1');
  queue.done('used/1');
  t.equal(await queue.take(), 'used/2', 'its worker is busy while others come and go');
  for (let i = 0; i < 1000; i++) {
    queue.add(`${i}/1`);
    queue.done((await queue.take()) ?? '');
  }
  queue.add('used/3');
  queue.add('used/4');
  t.equal(await queue.take(), 'used/3');
  const next = queue.take();
  queue.add('other/1');
  t.equal(await next, 'other/1', 'the limit of the used group is kept');
  queue.close();
});

t.test('keys of groups that fail, pause or are slow are no backlog', async t => {
  const queue = grouped();
  for (const group of ['failing', 'slow', 'good']) for (let i = 0; i < 3; i++) queue.add(`${group}/${i}`);
  queue.addLow('good/low');
  t.equal(queue.backlog, 10);
  t.same(await take(queue, 3), ['failing/0', 'slow/0', 'good/0']);
  queue.failGroup('failing/0');
  queue.setSlow('slow/0', true);
  t.equal(queue.backlog, 3);
  queue.close();
});

t.test('a key of low priority of a busy group has its turn before many of another group', async t => {
  const queue = grouped();
  for (let i = 0; i < 50; i++) queue.addLow(`b/${i}`);
  queue.addLow('a/low');
  for (let i = 0; i < 50; i++) queue.add(`a/${i}`);
  const taken: (string | undefined)[] = [];
  for (let i = 0; i < 24; i++) {
    const [key] = await take(queue, 1);
    taken.push(key);
    queue.done(key ?? '');
  }
  t.ok(taken.includes('a/low'), taken.join(' '));
  queue.close();
});

t.test('groups take turns with keys of low priority, too', async t => {
  const queue = grouped();
  for (const key of ['a/1', 'a/2', 'b/1']) queue.addLow(key);
  queue.add('a/3');
  t.same(await take(queue, 3), ['a/3', 'a/1', 'b/1']);
  queue.close();
});

t.test('one of several busy servers is less than half of a backlog', async t => {
  const queue = new KeyQueue(limits, Date.now, undefined, { ...byCluster, waitsForRemote: true });
  for (let i = 0; i < 1000; i++) queue.add(`a/${i}`);
  t.equal(queue.backlog, 64, 'the only server counts as all');
  for (const cluster of ['b', 'c', 'd']) queue.add(`${cluster}/1`);
  t.equal(queue.backlog, 16 + 3);
  queue.close();
});
