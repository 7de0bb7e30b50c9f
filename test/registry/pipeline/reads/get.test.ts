/** Reads of one object: from the store at a revision, and from memory without waiting. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { getCached, getParsed, listCached } from '../../../../registry/pipeline/reads/cached.js';
import { get } from '../../../../registry/pipeline/reads/get.js';
import { list } from '../../../../registry/pipeline/reads/list.js';
import { update } from '../../../../registry/pipeline/update.js';
import { configMap, configmaps, refusal, refusalOf } from '../../serve.js';
import { openDeps, write } from '../deps.js';

const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

t.test('an object is read at a revision that is at least as new as the given one', async t => {
  const { deps, scope, create } = await openDeps(t);
  const { metadata } = await create(configmaps, configMap('a'));
  const call = scope(configmaps);
  const read = (name: string, resourceVersion?: string) =>
    refusal(Promise.resolve(get(deps, call, name, resourceVersion)));
  for (const version of [undefined, '', '0', metadata.resourceVersion])
    t.equal(await read('a', version), 'allowed', String(version));
  t.equal(await read('b'), '404 NotFound: configmaps "b" not found');
  t.match(await read('a', 'x'), /^500 : resourceVersion: Invalid value: "x": strconv.ParseUint/, 'as kube-apiserver');
  t.match(await read('a', '999999'), /^504 Timeout: .*Too large resource version: 999999, current: \d+/);
  const other = scope(configmaps, { namespace: 'other' });
  t.match(await refusal(get(deps, other, 'a')), /^404/, 'another namespace');
});

t.test('the scale of a workload is read as a kind of its own', async t => {
  const { deps, scope, create } = await openDeps(t);
  const labels = { app: 'web' };
  await create(deployments, {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' } },
    spec: {
      ...{ replicas: 3, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const answer = await get(deps, scope(deployments, { subresource: 'scale' }), 'web');
  t.match(answer, {
    object: { kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 3 }, status: { selector: 'app=web' } },
  });
});

t.test('memory answers what it has, in the version that is stored', async t => {
  const { deps, scope, create } = await openDeps(t);
  await create(configmaps, configMap('a', { data: { k: 'v' } }));
  const call = scope(configmaps);
  await list(deps, call, {}); // The cache is filled after this.
  t.match(getCached(deps, call, 'a')?.object, { data: { k: 'v' } });
  t.equal(getCached(deps, call, 'b'), undefined);
  t.same(
    listCached(deps, call)?.map(({ key }) => key.split('/').at(-1)),
    ['a'],
  );
  t.same(listCached(deps, scope(configmaps, { namespace: 'other' })), []);
  t.equal(getParsed(deps, call, 'a'), getCached(deps, call, 'a')?.object, 'it was parsed already');

  const autoscalers = { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' };
  await create(autoscalers, {
    ...{ apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h', namespace: 'default' } },
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  });
  const stored = scope({ ...autoscalers, version: 'v2' });
  const converted = scope(autoscalers);
  await get(deps, stored, 'h');
  t.match(getCached(deps, stored, 'h')?.object, { apiVersion: 'autoscaling/v2' });
  t.equal(getCached(deps, converted, 'h'), undefined, 'another version needs a conversion');
  t.equal(listCached(deps, converted), undefined);
  t.equal(getParsed(deps, converted, 'h'), undefined);
});

t.test('an update replaces the object that it names', async t => {
  const { deps, scope, create, messages } = await openDeps(t);
  const made = await create(configmaps, configMap('a', { data: { k: 'v' } }));
  const call = scope(configmaps);
  const attempt = (name: string, metadata: KubeObject['metadata']) =>
    refusalOf(() => update(deps, call, name, { ...configMap('a'), metadata: { ...metadata } }, write));
  const { uid = '', resourceVersion = '' } = made.metadata;
  t.match(
    await attempt('a', { name: 'b' }),
    /^400 BadRequest: the name of the object \(b\) does not match the name on the URL \(a\)/,
  );
  t.match(
    await attempt('a', { name: 'a', namespace: 'other' }),
    /^400 BadRequest: the namespace of the provided object/,
  );
  t.match(await attempt('a', { name: 'a', uid: 'x' }), /^409 Conflict: .*UID in precondition: x, UID in object meta/);
  t.match(await attempt('a', { name: 'a', resourceVersion: '1' }), /^409 Conflict: .*the object has been modified/);
  t.match(await attempt('b', { name: 'b' }), /^404/);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
  t.equal(await attempt('a', { name: 'a', uid, resourceVersion, ownerReferences: [owner, owner] }), 'allowed');
  t.match(messages, [/duplicate/]);
  const { object } = await get(deps, call, 'a').then(answer => ('stored' in answer ? answer.stored : answer));
  t.same(object.metadata.ownerReferences, [owner]);
  t.equal(object['data'], undefined, 'what the new object does not have is gone');
});
