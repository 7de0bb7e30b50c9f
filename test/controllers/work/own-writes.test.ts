/** The record of own writes in members: what it recognizes, and that it does not grow. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { CachedObject } from '../../../client/interface.js';
import { OwnWrites } from '../../../controllers/work/own-writes.js';

const object = (resourceVersion: string, name = 'c'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, resourceVersion },
});

const mirrorWith = (...objects: KubeObject[]) => ({
  hasSynced: true,
  cached: new Map<string, CachedObject>(
    objects.map(each => [
      `${each.metadata.namespace}/${each.metadata.name}`,
      { object: each, revision: each.metadata.resourceVersion ?? '' },
    ]),
  ),
});

t.test('the event of a write is recognized once', async t => {
  const writes = new OwnWrites();
  writes.add('member1', object('7'), mirrorWith(object('5')));
  t.equal(writes.take('member2', object('7')), false, 'the same version of another cluster');
  t.equal(writes.take('member1', object('7', 'other')), false, 'of another object');
  t.equal(writes.take('member1', object('7')), true);
  t.equal(writes.take('member1', object('7')), false);
  t.equal(writes.size, 0);
});

t.test('another event ends the wait for that of a write', async t => {
  const writes = new OwnWrites();
  writes.add('member1', object('7'), mirrorWith());
  t.equal(writes.take('member1', object('8')), false, 'a later change, as after a gap of the watch');
  t.equal(writes.size, 0);
});

t.test('a write whose event has arrived, or never will, is not recorded', async t => {
  const writes = new OwnWrites();
  for (const seen of ['7', '8', '10']) writes.add('member1', object('7'), mirrorWith(object(seen)));
  writes.add('member1', object('b'), mirrorWith(object('b')));
  writes.add('member1', object('7'), undefined);
  writes.add('member1', object('7'), { ...mirrorWith(), hasSynced: false });
  t.equal(writes.size, 0);
  writes.add('member1', object('b'), mirrorWith(object('c')));
  writes.add('member2', object('10'), mirrorWith(object('9')));
  t.equal(writes.size, 2, 'versions without an order, and an older one');
});

t.test('the end of the mirrors of a cluster ends the wait', async t => {
  const writes = new OwnWrites();
  for (const cluster of ['member1', 'member2']) writes.add(cluster, object('7'), mirrorWith());
  writes.forget('member1');
  t.equal(writes.size, 1);
  t.equal(writes.take('member2', object('7')), true);
});
