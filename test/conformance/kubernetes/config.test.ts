/**
 * ConfigMaps, Secrets, PodTemplates, LimitRanges, PriorityClasses, Leases. as test/e2e/common/node, test/e2e/common/storage,
 * test/e2e/scheduling
 */
import t from 'tap';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import { codeOf, kit, refusal, unique, version } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);

/** Tests for both ConfigMaps and Secrets. */
for (const { of, first, second } of [
  { of: 'v1/configmaps', first: 'value', second: 'value1' },
  { of: 'v1/secrets', first: toBase64('value'), second: toBase64('value1') },
]) {
  t.test(`${of} are created, patched, listed and deleted`, async t => {
    const namespace = await all.namespace();
    const [here, everywhere] = [all.of(of, namespace), all.of(of)];
    const labels = { 'test-static': unique('static') };
    const chosen = `labelSelector=test-static=${labels['test-static']}`;
    await here.create({ metadata: { name: 'lives', labels }, data: { key: first } });
    const made = await here.get('lives');
    t.match(made, { metadata: { labels }, data: { key: first } });
    t.equal((await everywhere.list(chosen)).items.length, 1);
    const patched = await here.patch(
      'lives',
      { metadata: { labels: { test: 'patched' } }, data: { key: second } },
      'strategic',
    );
    t.ok(version(patched) > version(made));
    t.match((await everywhere.list('labelSelector=test=patched')).items, [
      { metadata: { name: 'lives', namespace, labels: { ...labels, test: 'patched' } }, data: { key: second } },
    ]);
    await here.removeAll(chosen);
    t.same((await here.list(chosen)).items, []);
  });

  t.test(`${of} are replaced without a resource version`, async t => {
    const here = all.of(of, await all.namespace());
    const made = await here.create({ metadata: { name: 'updated' }, data: { 'data-1': first } });
    const {
      metadata: { name },
      apiVersion,
      kind,
    } = made;
    const answer = await all.ask(`PUT ${here.path}/${name}`, {
      body: { apiVersion, kind, metadata: { name }, data: { data: second } },
    });
    t.equal(answer.status, 200);
    t.same((await here.get(name))['data'], { data: second });
  });

  t.test(`${of} with an empty key are refused`, async t => {
    const here = all.of(of, await all.namespace());
    t.equal(await codeOf(here.create({ metadata: { name: 'empty' }, data: { '': first } })), 422);
  });

  t.test(`immutable ${of} cannot be changed`, async t => {
    const here = all.of(of, await all.namespace());
    await here.create({ metadata: { name: 'immutable' }, data: { 'data-1': first } });
    await here.update('immutable', thing => ((thing['data'] as Record<string, string>)['data-4'] = second));
    await here.update('immutable', thing => (thing['immutable'] = true));
    const refused = [
      () => here.update('immutable', thing => ((thing['data'] as Record<string, string>)['data-5'] = second)),
      () => here.update('immutable', thing => (thing['immutable'] = false)),
      () => here.update('immutable', thing => delete thing['immutable']),
    ];
    for (const attempt of refused) t.match(await refusal(attempt()), { code: 422, reason: 'Invalid' });
    const labelled = await here.update('immutable', thing => (thing.metadata.labels = { label1: 'value1' }));
    t.match(labelled, { immutable: true, metadata: { labels: { label1: 'value1' } } });
    await here.remove('immutable');
    t.equal(await here.find('immutable'), undefined);
  });
}

t.test('PodTemplates are deleted as a collection', async t => {
  const here = all.of('v1/podtemplates', await all.namespace());
  const template = { spec: { containers: [{ name: 'token-test', image: 'agnhost' }] } };
  for (const i of [1, 2, 3]) await here.create({ metadata: { name: `t-${i}`, labels: { set: 'true' } }, template });
  await here.create({ metadata: { name: 'other' }, template });
  t.equal((await here.list('labelSelector=set=true')).items.length, 3);
  await here.removeAll('labelSelector=set=true');
  t.equal((await here.list()).items.length, 1);
});

t.test('times of Leases have microseconds', async t => {
  const here = all.of('coordination.k8s.io/v1/leases', await all.namespace());
  const spec = (holderIdentity: string, second: number) => ({
    holderIdentity,
    leaseDurationSeconds: 30,
    acquireTime: `0001-01-01T00:00:${second}.000000Z`,
    renewTime: `2026-01-02T03:04:${second}.123456Z`,
    leaseTransitions: second,
  });
  await here.create({ metadata: { name: 'lease' }, spec: spec('holder', 10) });
  t.same((await here.get('lease'))['spec'], spec('holder', 10));
  await here.update('lease', thing => (thing['spec'] = spec('holder2', 20)));
  await here.patch('lease', { spec: spec('holder3', 50) }, 'strategic');
  t.same((await here.get('lease'))['spec'], spec('holder3', 50));
});

const amounts = (cpu: string, memory: string, storage: string) => ({
  ...(cpu ? { cpu } : {}),
  ...(memory ? { memory } : {}),
  ...(storage ? { 'ephemeral-storage': storage } : {}),
});
const limits = {
  type: 'Container',
  min: amounts('50m', '100Mi', '100Gi'),
  max: amounts('500m', '500Mi', '500Gi'),
  default: amounts('500m', '500Mi', '500Gi'),
  defaultRequest: amounts('100m', '200Mi', '200Gi'),
};
const newMin = amounts('9m', '49Mi', '49Gi');

t.test('a LimitRange sets defaults of Pods, and limits them', async t => {
  const namespace = await all.namespace();
  const [ranges, pods] = [all.of('v1/limitranges', namespace), all.of('v1/pods', namespace)];
  const events = await ranges.watch('labelSelector=time=now');
  await ranges.create({ metadata: { name: 'limit-range', labels: { time: 'now' } }, spec: { limits: [limits] } });
  t.equal((await events.next()).type, 'ADDED');
  t.match(await ranges.get('limit-range'), { spec: { limits: [limits] } });
  const pod = async (requests: object, limits: object = {}): Promise<unknown> => {
    const container = { name: 'pause', image: 'pause', resources: { requests, limits } };
    const { spec } = await pods.create({ metadata: { generateName: 'pod-' }, spec: { containers: [container] } });
    return (spec as { containers: { resources: unknown }[] }).containers[0]?.resources;
  };
  t.same(await pod({}), { requests: limits.defaultRequest, limits: limits.default });
  t.same(await pod(amounts('', '150Mi', '150Gi'), amounts('300m', '', '')), {
    requests: amounts('300m', '150Mi', '150Gi'),
    limits: amounts('300m', '500Mi', '500Gi'),
  });
  const [small, large] = [amounts('10m', '50Mi', '50Gi'), amounts('600m', '600Mi', '600Gi')];
  t.equal(await codeOf(pod(small)), 403);
  t.ok([403, 422].includes(await codeOf(pod(large))));
  await ranges.update('limit-range', thing => (thing['spec'] = { limits: [{ ...limits, min: newMin }] }));
  t.match(await pod(small), { requests: small });
  t.ok([403, 422].includes(await codeOf(pod(large))));
  await ranges.remove('limit-range', { gracePeriodSeconds: 30 });
  await ranges.count(0);
  t.match(await pod(large), { requests: large });
});

t.test('LimitRanges are listed, patched, deleted as a collection', async t => {
  const [here, there] = [await all.namespace(), await all.namespace()].map(name => all.of('v1/limitranges', name));
  const draft = {
    metadata: { name: 'range', labels: { test: 'ranges', state: 'created' } },
    spec: { limits: [limits] },
  };
  const made = await here?.create(draft);
  await there?.create(draft);
  const both = (): Promise<number> =>
    all
      .of('v1/limitranges')
      .list('labelSelector=test=ranges')
      .then(({ items }) => items.length);
  t.equal(await both(), 2);
  const change = { metadata: { labels: { state: 'patched' } }, spec: { limits: [{ ...limits, min: newMin }] } };
  const patched = await here?.patch('range', change, 'strategic');
  t.match(patched, change);
  t.ok(made && patched && version(patched) > version(made));
  await here?.removeAll('labelSelector=state=patched');
  await here?.count(0, 'labelSelector=state=patched');
  t.equal(await both(), 1);
});

t.test('the value of a PriorityClass is immutable', async t => {
  const classes = all.of('scheduling.k8s.io/v1/priorityclasses');
  for (const [i, name] of ['p1', 'p2'].entries()) {
    const made = await classes.create({ metadata: { name }, value: i + 1 });
    t.equal(await codeOf(classes.patch(name, { value: 100 })), 422);
    t.equal(await codeOf(classes.update(name, thing => (thing['value'] = 100))), 422);
    const description = 'updated description';
    if (i === 0) await classes.patch(name, { description });
    else await classes.update(name, thing => (thing['description'] = description));
    const live = await classes.get(name);
    t.match(live, { value: i + 1, description });
    t.ok(version(live) > version(made));
  }
  t.ok((await classes.list()).items.length >= 4);
});
