/** The function behind POST: names, system fields, dry runs, and what is refused. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { create as createObject } from '../../../registry/pipeline/create.js';
import type { ObjectAnswer } from '../../../registry/pipeline/interface.js';
import { configMap, configmaps, refusal } from '../serve.js';
import { openDeps, write } from './deps.js';

const reviews = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews' };

const objectOf = (answer: ObjectAnswer): KubeObject => ('stored' in answer ? answer.stored.object : answer.object);

interface Opened {
  readonly create: (
    object: KubeObject,
    more?: { readonly name?: string; readonly dryRun?: boolean },
  ) => Promise<KubeObject>;
  readonly read: (name: string) => Promise<KubeObject>;
  readonly remove: (name: string) => Promise<unknown>;
  readonly messages: readonly string[];
}

async function open(t: Test): Promise<Opened> {
  const { deps, scope, messages } = await openDeps(t);
  const call = scope(configmaps);
  const client = deps.clientFor(call.user);
  return {
    messages,
    create: async (object, { name = '', dryRun = false } = {}) =>
      objectOf(await createObject(deps, call, object, { ...write, dryRun }, name)),
    read: name => client.get(configmaps, { namespace: 'default', name }),
    remove: name => client.delete(configmaps, { namespace: 'default', name }),
  };
}

t.test('an object gets its system fields from the server alone', async t => {
  const { create, read } = await open(t);
  const own = { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', deletionTimestamp: '2001-01-01T00:00:00Z' };
  const created = await create(configMap('a', { metadata: own, data: { k: 'v' } }));
  t.match(created, { data: { k: 'v' }, metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } });
  t.not(created.metadata.uid, 'mine');
  t.equal(created.metadata.deletionTimestamp, undefined);
  t.match(created.metadata.managedFields, [{ manager: 'test', operation: 'Update' }]);
  t.same(await read('a'), created);
});

t.test('a name is taken once, and longer while its object is terminating', async t => {
  const { create, remove } = await open(t);
  await create(configMap('a', { metadata: { finalizers: ['example.com/x'] } }));
  const again = '409 AlreadyExists: configmaps "a" already exists';
  t.equal(await refusal(create(configMap('a'))), again);
  t.equal(await refusal(create(configMap('a'), { dryRun: true })), again, 'dry runs, too');
  await remove('a');
  const terminating = '409 AlreadyExists: object is being deleted: configmaps "a" already exists';
  t.equal(await refusal(create(configMap('a'))), terminating);
  t.equal(await refusal(create(configMap('a'), { dryRun: true })), terminating);
});

t.test('a dry run stores nothing', async t => {
  const { create, read } = await open(t);
  t.match(await create(configMap('a', { data: { k: 'v' } }), { dryRun: true }), {
    data: { k: 'v' },
    metadata: { name: 'a', uid: String },
  });
  t.equal(await refusal(read('a')), '404 NotFound: configmaps "a" not found');
});

t.test('a name that is taken is generated again', async t => {
  const { deps, scope } = await openDeps(t);
  // The bytes decide the name: the first two names are the same.
  const bytes = [1, 1, 2];
  const random = (size: number): Uint8Array => new Uint8Array(size).fill(bytes.length > 1 ? (bytes.shift() ?? 0) : 2);
  const generate = async (): Promise<string> => {
    const draft = configMap('', { metadata: { name: '', generateName: 'gen-' } });
    const { metadata } = objectOf(await createObject({ ...deps, random }, scope(configmaps), draft, write, ''));
    return metadata.name ?? '';
  };
  const [first, second] = [await generate(), await generate()];
  t.match(first, /^gen-[a-z0-9]{5}$/);
  t.not(second, first);
  t.match(
    await refusal(generate()),
    /^409 AlreadyExists: configmaps "gen-\S+" already exists, the server was not able to generate a unique name for the object$/,
    'until it has tried often',
  );
});

t.test('the resource version of a new object must be empty', async t => {
  const { create } = await open(t);
  t.match(
    await refusal(create(configMap('a', { metadata: { resourceVersion: '5' } }))),
    /^500 .*resourceVersion should not be set on objects to be created/,
  );
  t.ok(await create(configMap('b', { metadata: { resourceVersion: '0' } })));
  t.ok(await create(configMap('c', { metadata: { resourceVersion: 'x' } })), 'what is no number counts as absent');
});

t.test('the name of a path is that of the object', async t => {
  const { create } = await open(t);
  t.match(await create(configMap('', { metadata: { name: '' } }), { name: 'a' }), { metadata: { name: 'a' } });
  t.match(
    await refusal(create(configMap('b'), { name: 'a' })),
    /^400 BadRequest: the name of the object \(b\) does not match the name on the URL \(a\)$/,
  );
});

t.test('owners that are named twice are stored once, with a warning', async t => {
  const { create, messages } = await open(t);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
  const { metadata } = await create(configMap('a', { metadata: { ownerReferences: [owner, { ...owner }] } }));
  t.strictSame(metadata.ownerReferences, [owner]);
  t.match(messages, [/^warning: .*metadata\.ownerReferences contains duplicate entries.*u/]);
});

t.test('a review is answered, and not stored', async t => {
  const { deps, scope } = await openDeps(t);
  const call = scope(reviews);
  const review = (_call: unknown, draft: KubeObject): Promise<KubeObject> =>
    Promise.resolve({ ...draft, status: { allowed: true } });
  const draft = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  };
  const definition = { ...call.definition, review };
  const answer = await createObject(deps, { ...call, definition }, draft, write, '');
  t.match(objectOf(answer), { kind: 'SelfSubjectAccessReview', status: { allowed: true } });
  t.equal(deps.stores.of(call.definition).cache.size, 0);
});
