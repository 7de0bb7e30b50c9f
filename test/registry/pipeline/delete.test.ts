/** The function that deletes an object: preconditions, answers, and protected objects. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { DeleteOptions } from '../../../client/interface.js';
import { remove, removeOne } from '../../../registry/pipeline/delete.js';
import { configMap, configmaps, pod, pods, refusal } from '../serve.js';
import { openDeps, write } from './deps.js';

const priorityClasses = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };

t.test('preconditions are compared to the deleted object', async t => {
  const { deps, scope, create } = await openDeps(t);
  const { metadata } = await create(configmaps, configMap('a'));
  const { uid = '', resourceVersion = '' } = metadata;
  const attempt = (preconditions: DeleteOptions['preconditions']) =>
    refusal(remove(deps, scope(configmaps), 'a', { ...(preconditions && { preconditions }) }, write));
  t.match(
    await attempt({ uid: 'x' }),
    /^409 Conflict: .*the UID in the precondition \(x\) does not match the UID in record/,
  );
  t.match(
    await attempt({ uid, resourceVersion: '1' }),
    /^409 Conflict: .*the ResourceVersion in the precondition \(1\) does not match/,
  );
  t.match(await attempt({ uid: 'x', resourceVersion: '1' }), /UID in the precondition/, 'the uid comes first');
  t.equal(await attempt({ uid, resourceVersion }), 'allowed');
  t.equal(await attempt(undefined), '404 NotFound: configmaps "a" not found');
});

t.test('the answer is a Success, or the last state, depending on the kind', async t => {
  const { deps, scope, create } = await openDeps(t);
  const { metadata } = await create(configmaps, configMap('a'));
  const { answer, removed } = await remove(deps, scope(configmaps), 'a', {}, write);
  t.equal(removed, true);
  t.match('object' in answer && answer.object, {
    kind: 'Status',
    status: 'Success',
    details: { name: 'a', uid: metadata.uid },
  });
  await create(pods, pod('p'));
  const last = await remove(deps, scope(pods), 'p', { gracePeriodSeconds: 0 }, write);
  t.match('stored' in last.answer ? last.answer.stored.object : last.answer.object, {
    kind: 'Pod',
    metadata: { name: 'p' },
  });
});

t.test('an object with finalizers is only marked', async t => {
  const { deps, scope, create } = await openDeps(t);
  await create(configmaps, configMap('a', { metadata: { finalizers: ['example.com/x'] } }));
  const { answer, removed } = await remove(deps, scope(configmaps), 'a', {}, write);
  t.equal(removed, false);
  t.match('stored' in answer ? answer.stored.object : answer.object, {
    metadata: {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.com/x'],
    },
  });
});

t.test('a dry run deletes nothing', async t => {
  const { deps, scope, create } = await openDeps(t);
  const dry = { ...write, dryRun: true };
  const created = await create(configmaps, configMap('a'));
  const kept = await create(configmaps, configMap('b', { metadata: { finalizers: ['example.com/x'] } }));
  t.match(await remove(deps, scope(configmaps), 'a', {}, dry), {
    removed: true,
    answer: { object: { status: 'Success' } },
  });
  t.match(await remove(deps, scope(configmaps), 'b', {}, dry), {
    removed: false,
    answer: { object: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } },
  });
  const client = deps.clientFor(scope(configmaps).user);
  for (const object of [created, kept] as KubeObject[])
    t.same(await client.get(configmaps, { namespace: 'default', name: object.metadata.name ?? '' }), object);
});

t.test('objects that a kind protects cannot be deleted by users', async t => {
  const { deps, scope } = await openDeps(t);
  t.match(
    await refusal(removeOne(deps, scope(priorityClasses), 'system-node-critical', {}, write)),
    /^403 Forbidden: priorityclasses\.scheduling\.k8s\.io "system-node-critical" is forbidden: /,
  );
  t.match(
    await refusal(removeOne(deps, scope(priorityClasses), 'mine', {}, write)),
    /^404 /,
    'another one is looked for',
  );
  t.match(await refusal(removeOne(deps, scope(configmaps), 'a', {}, write)), /^404 /, 'most kinds protect nothing');
});

t.test('admission runs before the deletion, with the object', async t => {
  const asked: string[] = [];
  const { deps, scope, create } = await openDeps(t, {
    name: 'recording',
    validate({ operation, name, object, old }) {
      asked.push(`${operation} ${name} ${object === undefined} ${old?.metadata.name}`);
      return undefined;
    },
  });
  await create(configmaps, configMap('a'));
  await remove(deps, scope(configmaps), 'a', {}, write);
  t.strictSame(asked, ['DELETE a true a']);
});

t.test('the deletion of a large object takes several turns of the event loop', async t => {
  const pauses = new Map<string, boolean>();
  const { deps, scope, create } = await openDeps(t, {
    name: 'pauses',
    validate: ({ name, pause }) => void pauses.set(name, pause !== undefined),
  });
  const finalizers = ['example.com/x'];
  await create(configmaps, configMap('small', { metadata: { finalizers } }));
  await create(configmaps, configMap('large', { metadata: { finalizers }, data: { k: 'x'.repeat(100_000) } }));
  for (const name of ['small', 'large']) await remove(deps, scope(configmaps), name, {}, write);
  t.same(
    [...pauses],
    [
      ['small', false],
      ['large', true],
    ],
  );
});
