/** A client deletes a Work whose binding still has the cluster as a target. */
import t from 'tap';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { objectKey } from '../../../client/key.js';
import { until } from '../../storage/until.js';
import { scene } from './binding-scene.js';

const { works } = resources;

/** Starts to delete the Work of `a`. `finish` removes its finalizers, as the controllers of the cluster do when the object is gone. */
async function withDeletedWork(t: Parameters<typeof scene>[0]) {
  const started = await scene(t);
  const { client, workOf } = started;
  const work = (await workOf('a')) as Work;
  await client.delete(works, objectKey(work));
  const finish = async (): Promise<void> => {
    await client.patch(works, objectKey(work), { type: 'merge', patch: { metadata: { finalizers: null } } });
  };
  return { ...started, work, finish };
}

t.test('a deleted Work is not written again before its binding changes', async t => {
  const { change, has, workOf, finish, work } = await withDeletedWork(t);
  await finish();
  await change('b', { conflictResolution: 'Overwrite' });
  await has('b', 'overwrite');
  t.equal(await workOf('a'), undefined);
  await change('a', { conflictResolution: 'Overwrite' });
  await has('a', 'overwrite');
  t.not((await workOf('a'))?.metadata.uid, work.metadata.uid);
});

t.test('a binding that has changed while its Work was being deleted gets a new one', async t => {
  const { change, workOf, finish, work } = await withDeletedWork(t);
  await change('a', { conflictResolution: 'Overwrite' });
  await finish();
  await until('there is a new Work', async () => {
    const uid = (await workOf('a'))?.metadata.uid;
    return uid !== undefined && uid !== work.metadata.uid;
  });
});
