/** Deletions, on the function itself: preconditions, what is answered, and what is kept. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { DeleteOptions } from '../../../client/interface.js';
import { remove, removeOne } from '../../../registry/pipeline/delete.js';
import { configMap, configmaps, pod, pods, refusal } from '../serve.js';
import { openParts, write } from './parts.js';

const priorityClasses = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };

t.test('preconditions are those of the object that is deleted', async t => {
  const { parts, scope, create } = await openParts(t);
  const { metadata } = await create(configmaps, configMap('a'));
  const { uid = '', resourceVersion = '' } = metadata;
  const attempt = (preconditions: DeleteOptions['preconditions']) =>
    refusal(remove(parts, scope(configmaps), 'a', { ...(preconditions && { preconditions }) }, write));
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

t.test('the answer is a Success, or the last state where the kind says so', async t => {
  const { parts, scope, create } = await openParts(t);
  const { metadata } = await create(configmaps, configMap('a'));
  const { answer, removed } = await remove(parts, scope(configmaps), 'a', {}, write);
  t.equal(removed, true);
  t.match('object' in answer && answer.object, {
    kind: 'Status',
    status: 'Success',
    details: { name: 'a', uid: metadata.uid },
  });
  await create(pods, pod('p'));
  const last = await remove(parts, scope(pods), 'p', { gracePeriodSeconds: 0 }, write);
  t.match('stored' in last.answer ? last.answer.stored.object : last.answer.object, {
    kind: 'Pod',
    metadata: { name: 'p' },
  });
});

t.test('an object with finalizers is only marked', async t => {
  const { parts, scope, create } = await openParts(t);
  await create(configmaps, configMap('a', { metadata: { finalizers: ['example.com/x'] } }));
  const { answer, removed } = await remove(parts, scope(configmaps), 'a', {}, write);
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
  const { parts, scope, create } = await openParts(t);
  const dry = { ...write, dryRun: true };
  const created = await create(configmaps, configMap('a'));
  const kept = await create(configmaps, configMap('b', { metadata: { finalizers: ['example.com/x'] } }));
  t.match(await remove(parts, scope(configmaps), 'a', {}, dry), {
    removed: true,
    answer: { object: { status: 'Success' } },
  });
  t.match(await remove(parts, scope(configmaps), 'b', {}, dry), {
    removed: false,
    answer: { object: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } },
  });
  const client = parts.clientFor(scope(configmaps).user);
  for (const object of [created, kept] as KubeObject[])
    t.same(await client.get(configmaps, { namespace: 'default', name: object.metadata.name ?? '' }), object);
});

t.test('what a kind keeps cannot be deleted by users', async t => {
  const { parts, scope } = await openParts(t);
  t.match(
    await refusal(removeOne(parts, scope(priorityClasses), 'system-node-critical', {}, write)),
    /^403 Forbidden: priorityclasses\.scheduling\.k8s\.io "system-node-critical" is forbidden: /,
  );
  t.match(
    await refusal(removeOne(parts, scope(priorityClasses), 'mine', {}, write)),
    /^404 /,
    'another one is looked for',
  );
  t.match(await refusal(removeOne(parts, scope(configmaps), 'a', {}, write)), /^404 /, 'most kinds keep nothing');
});

t.test('admission is asked about the object before it is deleted', async t => {
  const asked: string[] = [];
  const { parts, scope, create } = await openParts(t, {
    name: 'recording',
    validate({ operation, name, object, old }) {
      asked.push(`${operation} ${name} ${object === undefined} ${old?.metadata.name}`);
      return undefined;
    },
  });
  await create(configmaps, configMap('a'));
  await remove(parts, scope(configmaps), 'a', {}, write);
  t.strictSame(asked, ['DELETE a true a']);
});
