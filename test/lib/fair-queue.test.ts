import t from 'tap';
import { FairQueue, type QueueItem } from '../../lib/fair-queue.js';

interface Item extends QueueItem {
  readonly name: string;
}

const item = (name: string, key: string, size = 1, group?: string): Item => ({
  ...{ name, key, size },
  ...(group !== undefined && { group }),
});
const names = (items: readonly Item[] | undefined): readonly string[] | undefined => items?.map(({ name }) => name);

function drained(queue: FairQueue<Item>): readonly string[] {
  const found: string[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) found.push(next.name);
  return found;
}

const wide = { length: 100, lengthPerKey: 100, bytes: 1000 };

t.test('keys take turns, and the items of a key keep their order', async t => {
  const queue = new FairQueue<Item>(wide);
  for (const each of [item('a1', 'a'), item('a2', 'a'), item('a3', 'a'), item('b1', 'b'), item('b2', 'b')])
    t.ok(queue.push(each));
  t.equal(queue.length, 5);
  t.same(drained(queue), ['a1', 'b1', 'a2', 'b2', 'a3']);
  t.equal(queue.length, 0);
  t.equal(queue.shift(), undefined);
});

t.test('groups take turns, whatever the number of their keys', async t => {
  const queue = new FairQueue<Item>(wide);
  for (const key of ['a', 'b', 'c']) queue.push(item(key, key, 1, 'many'));
  for (const name of ['d1', 'd2']) queue.push(item(name, 'd', 1, 'one'));
  t.same(drained(queue), ['a', 'd1', 'b', 'd2', 'c']);
});

t.test('an item beyond a limit has no room', async t => {
  const queue = new FairQueue<Item>({ length: 3, lengthPerKey: 2, lengthPerGroup: 2, bytes: 10 });
  t.ok(queue.push(item('a1', 'a')));
  t.ok(queue.push(item('a2', 'a')));
  t.notOk(queue.push(item('a3', 'a')), 'items of one key');
  t.notOk(queue.push(item('b1', 'b', 9)), 'bytes');
  t.ok(queue.push(item('b1', 'b')));
  t.notOk(queue.push(item('c1', 'c')), 'items of all keys');
  t.equal(queue.length, 3);
  const grouped = new FairQueue<Item>({ ...wide, lengthPerGroup: 1 });
  t.ok(grouped.push(item('a', 'a', 1, 'g')));
  t.notOk(grouped.push(item('b', 'b', 1, 'g')), 'items of one group');
});

t.test('removed items leave their room', async t => {
  const queue = new FairQueue<Item>({ ...wide, length: 2 });
  const [a, b] = [item('a', 'a'), item('b', 'b')];
  queue.push(a);
  queue.push(b);
  t.ok(queue.remove(a));
  t.notOk(queue.remove(a), 'it does not wait any more');
  t.notOk(queue.remove(item('b', 'b')), 'items are compared by identity');
  t.ok(queue.push(item('c', 'c')));
  t.same(drained(queue), ['b', 'c']);
});

t.test('the newest item of the key with the most makes room for one with fewer', async t => {
  const queue = new FairQueue<Item>({ ...wide, length: 3 });
  for (const name of ['a1', 'a2', 'a3']) queue.push(item(name, 'a'));
  t.same(names(queue.pushOrDisplace(item('b1', 'b'))), ['a3']);
  t.same(
    names(queue.pushOrDisplace(item('b2', 'b'))),
    ['b2'],
    'no key loses an item to one that would then have as much',
  );
  t.same(names(queue.pushOrDisplace(item('a4', 'a'))), ['a4'], 'nor to itself');
  t.same(drained(queue), ['a1', 'b1', 'a2']);
});

t.test('where bytes lack, the key with the most bytes makes room', async t => {
  const queue = new FairQueue<Item>({ ...wide, bytes: 10 });
  queue.push(item('large', 'a', 6));
  queue.push(item('small1', 'b', 2));
  queue.push(item('small2', 'b', 2));
  t.same(names(queue.displace(item('c', 'c', 3))), ['large']);
  t.same(drained(queue), ['small1', 'small2']);
});

t.test('nothing is removed if that does not suffice', async t => {
  const queue = new FairQueue<Item>({ ...wide, bytes: 10 });
  queue.push(item('a', 'a', 5));
  queue.push(item('b', 'b', 5));
  t.equal(queue.displace(item('c', 'c', 11)), undefined);
  t.same(drained(queue), ['a', 'b']);
});
