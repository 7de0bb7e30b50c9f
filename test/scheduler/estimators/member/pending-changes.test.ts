/** Changes of a mirror that are passed on in time slices. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { PendingChanges } from '../../../../scheduler/estimators/member/pending-changes.js';
import { SetMirror } from './mirror.js';

const pod = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name } });

t.test('an object that cannot be applied delays no other, and later changes are applied', async t => {
  const mirror = new SetMirror();
  mirror.set(pod('a'), pod('broken'), pod('c'));
  const applied: (string | undefined)[] = [];
  const changes = new PendingChanges(mirror.informer, (_, object) => {
    if (object?.metadata.name === 'broken') throw new Error('it is broken');
    applied.push(object?.metadata.name);
  });
  await t.rejects(changes.settled(), { message: 'it is broken' });
  t.strictSame(applied, ['a', 'c']);
  await changes.settled();
  mirror.set(pod('d'));
  await changes.settled();
  mirror.remove('ns/a');
  await changes.settled();
  t.strictSame(applied, ['a', 'c', 'd', undefined]);
  changes.end();
  t.equal(mirror.followers, 0);
});
