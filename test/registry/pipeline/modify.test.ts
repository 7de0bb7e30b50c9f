/** The function behind PUT and PATCH: preconditions, resource versions, creation on update, dry runs and the last finalizer. */
import t, { type Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { forbidden } from '../../../apimachinery/errors/status.js';
import type { RequestScope } from '../../../registry/pipeline/interface.js';
import { isActionWrite, type Modification, modify, type Modified } from '../../../registry/pipeline/modify.js';
import { configMap, configmaps, pod, pods, refusal } from '../serve.js';
import { openDeps, write } from './deps.js';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const lease: KubeObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', namespace: 'default' },
  spec: { holderIdentity: 'me' },
};

const objectOf = ({ answer }: Modified): KubeObject => ('stored' in answer ? answer.stored.object : answer.object);

/** Returns a change that makes a copy of the live object, or of `absent`, and edits it. */
const edit = (
  change: (draft: KubeObject) => void,
  { absent, ...more }: Partial<Modification> & { readonly absent?: KubeObject } = {},
): Modification => ({
  creates: false,
  ...more,
  build(live) {
    const draft = structuredClone(live ?? absent);
    if (draft === undefined) throw new Error('there is nothing to change');
    change(draft);
    return draft;
  },
});

const setData = (data: object) =>
  edit(draft => {
    draft['data'] = data;
  });

interface Opened {
  readonly change: (
    name: string,
    change: Modification,
    more?: {
      readonly resource?: GroupVersionResource;
      readonly dryRun?: boolean;
      readonly scope?: Partial<RequestScope>;
    },
  ) => Promise<Modified>;
  readonly create: (resource: GroupVersionResource, object: KubeObject) => Promise<KubeObject>;
  readonly read: (name: string) => Promise<KubeObject>;
}

async function open(t: Test): Promise<Opened> {
  const { deps, scope, create } = await openDeps(t);
  return {
    change: (name, change, { resource = configmaps, dryRun = false, scope: more } = {}) =>
      modify(deps, scope(resource, more), name, change, { ...write, dryRun }),
    create,
    read: name => deps.clientFor(scope(configmaps).user).get(configmaps, { namespace: 'default', name }),
  };
}

t.test('a change is stored, and the answer is what was stored', async t => {
  const { change, create, read } = await open(t);
  const before = await create(configmaps, configMap('a', { data: { k: 'v' } }));
  const changed = await change('a', setData({ k: 'w' }));
  t.equal(changed.created, false);
  t.match(objectOf(changed), { data: { k: 'w' }, metadata: { uid: before.metadata.uid } });
  t.not(objectOf(changed).metadata.resourceVersion, before.metadata.resourceVersion);
  t.same(await read('a'), objectOf(changed));
  const same = await change('a', setData({ k: 'w' }));
  t.equal(objectOf(same).metadata.resourceVersion, objectOf(changed).metadata.resourceVersion, 'nothing is written');
});

t.test('a missing object is created only if the request or the kind creates it', async t => {
  const { change, read } = await open(t);
  t.equal(await refusal(change('a', setData({}))), '404 NotFound: configmaps "a" not found');
  const applied = await change(
    'a',
    edit(() => undefined, { creates: true, absent: configMap('a') }),
  );
  t.equal(applied.created, true);
  t.same(await read('a'), objectOf(applied));
  const put = await change(
    'l',
    edit(() => undefined, { absent: structuredClone(lease) }),
    { resource: leases },
  );
  t.equal(put.created, true, 'the kind is created on update');
  const refused = change(
    'm',
    edit(draft => (draft.metadata.name = 'm'), { absent: structuredClone(lease) }),
    {
      resource: leases,
      scope: {
        authorize: verb =>
          Promise.reject(forbidden({ group: leases.group, resource: leases.resource }, 'm', `no right to ${verb}`)),
      },
    },
  );
  t.match(await refusal(refused), /^403 Forbidden: .*no right to create/);
});

t.test('the uid is a precondition', async t => {
  const { change, create } = await open(t);
  const { metadata } = await create(configmaps, configMap('a'));
  const withUid = (uid: string | undefined) => ({ ...setData({ u: 'x' }), uid });
  t.match(
    await refusal(change('a', withUid('other'))),
    /^409 Conflict: .*Precondition failed: UID in precondition: other, UID in object meta: /,
  );
  t.match(await refusal(change('b', withUid('other'))), /^409 Conflict: /, 'an absent object has no uid');
  t.match(objectOf(await change('a', withUid(metadata.uid))), { data: { u: 'x' } });
});

t.test('the resource version is compared, if the kind requires one or the request has one', async t => {
  const { change, create } = await open(t);
  const { metadata } = await create(configmaps, configMap('a'));
  const withVersion = (resourceVersion: string | undefined, data: object = {}) =>
    edit(draft => {
      draft['data'] = data;
      if (resourceVersion === undefined) delete draft.metadata.resourceVersion;
      else draft.metadata.resourceVersion = resourceVersion;
    });
  t.match(await refusal(change('a', withVersion('x'))), /^500 .*invalid syntax/);
  t.match(
    await refusal(change('a', withVersion('1'))),
    /^409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified/,
  );
  t.match(objectOf(await change('a', withVersion(metadata.resourceVersion, { a: '1' }))), { data: { a: '1' } });
  t.match(await refusal(change('a', withVersion(metadata.resourceVersion))), /^409 Conflict/, 'it was the old one');
  t.match(objectOf(await change('a', withVersion(undefined, { a: '2' }))), { data: { a: '2' } });
  t.match(objectOf(await change('a', withVersion('0', { a: '3' }))), { data: { a: '3' } });
  await create(leases, structuredClone(lease));
  t.match(
    await refusal(
      change(
        'l',
        edit(draft => delete draft.metadata.resourceVersion),
        { resource: leases },
      ),
    ),
    /^422 Invalid: .*metadata.resourceVersion: Invalid value: 0: must be specified for an update$/,
  );
});

t.test('name and namespace of the path cannot be changed', async t => {
  const { change, create } = await open(t);
  await create(configmaps, configMap('a'));
  t.match(
    await refusal(
      change(
        'a',
        edit(draft => (draft.metadata.name = 'b')),
      ),
    ),
    /^400 BadRequest: the name of the object \(b\) does not match the name on the URL \(a\)$/,
  );
  t.match(
    await refusal(
      change(
        'a',
        edit(draft => (draft.metadata.namespace = 'other')),
      ),
    ),
    /^400 BadRequest: the namespace of the provided object does not match/,
  );
});

t.test('a dry run stores nothing', async t => {
  const { change, create, read } = await open(t);
  const before = await create(configmaps, configMap('a', { data: { k: 'v' } }));
  const changed = await change('a', setData({ k: 'w' }), { dryRun: true });
  t.match(objectOf(changed), { data: { k: 'w' } });
  t.equal(changed.created, false);
  t.same(await read('a'), before);
  const absent = edit(() => undefined, { creates: true, absent: configMap('b') });
  t.equal((await change('b', absent, { dryRun: true })).created, true);
  t.equal(await refusal(read('b')), '404 NotFound: configmaps "b" not found');
});

t.test('the change that removes the last finalizer of a terminating object removes the object', async t => {
  const { deps, scope, create } = await openDeps(t);
  const call = scope(configmaps);
  const client = deps.clientFor(call.user);
  await create(configmaps, configMap('a', { metadata: { finalizers: ['example.com/x', 'example.com/y'] } }));
  const withoutFinalizers = (...finalizers: string[]) =>
    edit(draft => {
      draft.metadata.finalizers = finalizers;
    });
  await modify(deps, call, 'a', withoutFinalizers('example.com/x'), write);
  t.ok(await client.get(configmaps, { namespace: 'default', name: 'a' }), 'it is not terminating');
  await client.delete(configmaps, { namespace: 'default', name: 'a' });
  const dry = await modify(deps, call, 'a', withoutFinalizers(), { ...write, dryRun: true });
  t.ok(objectOf(dry).metadata.deletionTimestamp);
  t.ok(await client.get(configmaps, { namespace: 'default', name: 'a' }), 'a dry run removes nothing');
  const last = await modify(deps, call, 'a', withoutFinalizers(), write);
  t.equal(last.created, false);
  t.match(objectOf(last), { metadata: { name: 'a', deletionTimestamp: String } });
  t.match(await refusal(client.get(configmaps, { namespace: 'default', name: 'a' })), /^404/);
});

t.test('the change is built again after a conflict', async t => {
  const { change, create } = await open(t);
  await create(configmaps, configMap('a', { data: { count: '0' } }));
  const increment: Modification = {
    creates: false,
    build(live) {
      const draft = structuredClone(live) as KubeObject & { data: { count: string } };
      draft.data.count = String(Number(draft.data.count) + 1);
      delete draft.metadata.resourceVersion;
      return draft;
    },
  };
  const results = await Promise.all(Array.from({ length: 10 }, () => change('a', increment)));
  const counts = results.map(each => Number((objectOf(each)['data'] as { count: string }).count));
  t.strictSame(
    counts.sort((a, b) => a - b),
    Array.from({ length: 10 }, (_, i) => i + 1),
  );
});

t.test('only parts of the object are changed through subresources', async t => {
  const { deps, scope, create } = await openDeps(t);
  await create(pods, pod('p'));
  const status = edit(draft => {
    draft['status'] = { phase: 'Running' };
    draft['spec'] = {};
  });
  const changed = objectOf(await modify(deps, scope(pods, { subresource: 'status' }), 'p', status, write));
  t.match(changed, { status: { phase: 'Running' }, spec: { containers: [{ name: 'c' }] } });
  await t.rejects(
    modify(deps, scope(pods, { subresource: 'log' }), 'p', status, write),
    /^pods\/log is no part of the object$/,
  );
  t.equal(isActionWrite(scope(pods, { subresource: 'binding' })), true);
  t.equal(isActionWrite(scope(pods, { subresource: 'status' })), false);
  t.equal(isActionWrite(scope(pods)), false);
});
