/** The record of own writes in members: what it recognizes, and that it does not grow. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { CachedObject } from '../../../client/interface.js';
import { MemberWrites } from '../../../controllers/work/own-writes.js';

const object = (resourceVersion: string, name = 'c', more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, resourceVersion },
  ...more,
});

const mirrorWith = (...objects: KubeObject[]) => ({
  hasSynced: true,
  lists: { begun: 1, applied: 1 },
  cached: new Map<string, CachedObject>(
    objects.map(each => [
      `${each.metadata.namespace}/${each.metadata.name}`,
      { object: each, revision: each.metadata.resourceVersion ?? '' },
    ]),
  ),
});

t.test('the event of a write is recognized once', async t => {
  const writes = new MemberWrites();
  const mirror = mirrorWith(object('5'));
  writes.add(object('7'), mirror);
  t.equal(writes.take(object('7'), mirrorWith()), false, 'the same version in another mirror');
  t.equal(writes.take(object('7', 'other'), mirror), false, 'of another object');
  t.equal(writes.take(object('7'), mirror), true);
  t.equal(writes.take(object('7'), mirror), false);
  t.equal(writes.sizeOf(mirror), 0);
});

t.test(
  'the event of a write is recognized before its answer, and one of another change is reported after it',
  async t => {
    const writes = new MemberWrites();
    const mirror = mirrorWith(object('5'));
    const arrives = (version: string, more: object = {}): boolean => {
      const seen = object(version, 'c', more);
      mirror.cached.set('default/c', { object: seen, revision: version });
      return writes.take(seen, mirror);
    };
    writes.begin(object('5'), mirror);
    t.equal(writes.take(object('7', 'other'), mirror), false, 'of another object');
    t.equal(arrives('7'), true);
    t.equal(writes.add(object('7'), mirror), false, 'it was the own event');
    t.equal(writes.sizeOf(mirror), 0, 'no further one is awaited');
    t.equal(arrives('8'), false, 'nothing is held after the answer');

    writes.begin(object('8'), mirror);
    for (const [version, data] of Object.entries({ 9: {}, 10: { by: 'another' } }))
      t.equal(arrives(version, { data }), true);
    t.equal(writes.add(object('9', 'c', { data: {} }), mirror), true, 'a change after the write');

    writes.begin(object('10'), mirror);
    for (const version of ['11', '12']) t.equal(arrives(version, { status: { replicas: Number(version) } }), true);
    t.equal(writes.add(object('11'), mirror), false, 'a change of status after the write');

    writes.begin(object('12'), mirror);
    writes.failed(object('12'), mirror);
    t.equal(arrives('13'), false, 'nothing is held after a failure');
  },
);

t.test('another event ends the wait for that of a write', async t => {
  const writes = new MemberWrites();
  const mirror = mirrorWith();
  writes.add(object('7'), mirror);
  t.equal(writes.take(object('8'), mirror), false, 'a later change, as after a gap of the watch');
  t.equal(writes.sizeOf(mirror), 0);
});

t.test('a write whose event has arrived, or never will, is not recorded', async t => {
  const writes = new MemberWrites();
  const sizeAfter = (written: string, mirror: ReturnType<typeof mirrorWith>): number => {
    writes.add(object(written), mirror);
    return writes.sizeOf(mirror);
  };
  for (const seen of ['7', '8', '10']) t.equal(sizeAfter('7', mirrorWith(object(seen))), 0);
  t.equal(sizeAfter('b', mirrorWith(object('b'))), 0);
  t.equal(sizeAfter('7', { ...mirrorWith(), hasSynced: false }), 0);
  writes.add(object('7'), undefined);
  t.equal(sizeAfter('b', mirrorWith(object('c'))), 1, 'versions without an order');
  t.equal(sizeAfter('10', mirrorWith(object('9'))), 1, 'an older version');
});

t.test('a list that began after a write ends the wait for its event', async t => {
  const writes = new MemberWrites();
  const mirror = mirrorWith();
  for (let i = 0; i < 10; i++) writes.add(object('7', `c-${i}`), mirror);
  mirror.lists.begun = 2;
  writes.add(object('8', 'during'), mirror);
  t.equal(writes.sizeOf(mirror), 11, 'the list is not in the mirror yet');
  mirror.lists.applied = 2;
  t.equal(writes.sizeOf(mirror), 1, 'only that of a write during the list is awaited');
  t.equal(writes.take(object('8', 'during'), mirror), true);
});

t.test('writes without events do not add up', async t => {
  const writes = new MemberWrites();
  const mirror = mirrorWith();
  writes.add(object('1', 'first'), mirror);
  for (let i = 0; i < 10_000; i++) {
    writes.add(object('1', `c-${i}`), mirror);
    writes.add(object(`${i + 2}`, 'first'), mirror);
  }
  t.ok(writes.sizeOf(mirror) <= 1024);
  t.equal(writes.take(object('1', 'c-0'), mirror), false, 'the oldest one is forgotten');
  t.equal(writes.take(object('10001', 'first'), mirror), true, 'and not an object that was written again');
});
