/** The deletion of a collection. as apiserver/pkg/registry/generic/registry Store.DeleteCollection */
import t from 'tap';
import { workClock } from '../../../lib/cel/interpreter/pace.js';
import { removeCollection } from '../../../registry/pipeline/delete-collection.js';
import { remove } from '../../../registry/pipeline/delete.js';
import { list } from '../../../registry/pipeline/reads/list.js';
import { configMap, configmaps, refusal } from '../serve.js';
import { turnsDuring } from '../../turns.js';
import { undisturbed } from '../../undisturbed.js';
import { openDeps, write } from './deps.js';

const names = (answer: { items: readonly { object: { metadata: { name?: string } } }[] }): string =>
  answer.items.map(({ object }) => object.metadata.name).join();

t.test('only what the query selects is deleted, and the answer has what was there', async t => {
  const { deps, scope, create } = await openDeps(t);
  for (const name of ['a', 'b', 'c']) {
    const labels = { odd: String(name !== 'b') };
    await create(configmaps, configMap(name, { metadata: { labels } }));
    await create(configmaps, configMap(name, { metadata: { namespace: 'kube-system', labels } }));
  }
  const call = scope(configmaps);
  const left = async (namespace = 'default'): Promise<string> =>
    names(await list(deps, scope(configmaps, { namespace }), {}));
  t.equal(names(await removeCollection(deps, call, { labelSelector: 'odd=false' }, {}, write)), 'b');
  t.equal(await left(), 'a,c');
  t.equal(names(await removeCollection(deps, call, { fieldSelector: 'metadata.name=c' }, {}, write)), 'c');
  t.equal(await left(), 'a');
  t.equal(names(await removeCollection(deps, call, {}, {}, { ...write, dryRun: true })), 'a');
  t.equal(await left(), 'a', 'a dry run');
  await removeCollection(deps, call, {}, {}, write);
  t.equal(await left(), '');
  t.equal(await left('kube-system'), 'a,b,c', 'another namespace');
  t.equal(names(await removeCollection(deps, call, {}, {}, write)), '', 'nothing is left');
  const everywhere = scope(configmaps, { namespace: '' });
  t.equal(names(await removeCollection(deps, everywhere, {}, {}, write)), 'a,b,c', 'of all namespaces');
  t.equal(await left('kube-system'), '');
});

t.test('a limit deletes one page, and objects with finalizers are only marked', async t => {
  const { deps, scope, create } = await openDeps(t);
  for (const name of ['a', 'b', 'c']) await create(configmaps, configMap(name));
  const call = scope(configmaps);
  const page = await removeCollection(deps, call, { limit: 2 }, {}, write);
  t.equal(names(page), 'a,b');
  t.ok(page.metadata.continue);
  t.equal(names(await list(deps, call, {})), 'c');
  await create(configmaps, configMap('held', { metadata: { finalizers: ['example.com/x'] } }));
  await removeCollection(deps, call, {}, {}, write);
  const rest = await list(deps, call, {});
  t.equal(names(rest), 'held');
  t.type(rest.items[0]?.object.metadata.deletionTimestamp, 'string');
});

t.test('the preconditions hold for every object, and one that is gone does not stop the others', async t => {
  const { deps, scope, create } = await openDeps(t);
  const { metadata } = await create(configmaps, configMap('a'));
  await create(configmaps, configMap('b'));
  const call = scope(configmaps);
  const preconditions = { uid: metadata.uid ?? '' };
  t.match(await refusal(removeCollection(deps, call, {}, { preconditions }, write)), /^409 Conflict/);
  t.match(names(await list(deps, call, {})), /b$/, 'the one that does not fit stays');
  for (let i = 0; i < 40; i++) await create(configmaps, configMap(`many-${i}`));
  await Promise.all([
    removeCollection(deps, call, {}, {}, write),
    ...Array.from({ length: 40 }, (_, i) => refusal(remove(deps, call, `many-${i}`, {}, write))),
  ]);
  t.equal(names(await list(deps, call, {})), '');
});

t.test('an object that is deleted already is not encoded again', async t => {
  const { deps, scope, create } = await openDeps(t);
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, `value ${i}`]));
  await create(configmaps, configMap('held', { metadata: { finalizers: ['example.com/x'] }, data }));
  const call = scope(configmaps);
  const removeHeld = () => remove(deps, call, 'held', {}, write);
  await removeHeld();
  const {
    items: [stored],
  } = await list(deps, call, {});
  const object = stored?.object;
  const clock = workClock();
  const cpuOf = async (work: () => unknown): Promise<number> => {
    const before = clock();
    for (let i = 0; i < 20; i++) await work();
    return clock() - before;
  };
  const { encoded, removed } = await undisturbed(
    costs => costs.removed < costs.encoded,
    async () => ({ encoded: await cpuOf(() => JSON.stringify(object)), removed: await cpuOf(removeHeld) }),
  );
  t.ok(removed < encoded, `${removed} ms for deletions, ${encoded} ms to encode the object as often`);
  const { items } = await list(deps, call, {});
  t.equal(items[0]?.revision, stored?.revision);
});

t.test('the deletion of many objects that are deleted already lets other requests in between', async t => {
  const { deps, scope, create } = await openDeps(t);
  const names = Array.from({ length: 2_000 }, (_, i) => `held-${i}`);
  const finalizers = ['example.com/x'];
  await Promise.all(names.map(name => create(configmaps, configMap(name, { metadata: { finalizers } }))));
  const removed = (): Promise<unknown> => removeCollection(deps, scope(configmaps), {}, {}, write);
  await removed();
  const { count, longest } = await turnsDuring(50, removed);
  t.ok(count > 3, `${count} turns of the event loop`);
  t.ok(longest < 50, `the loop was held for ${longest.toFixed(1)} ms`);
});
