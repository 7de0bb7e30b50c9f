/** metrics.k8s.io of the control plane: the metrics of all ready members. */
import type http from 'node:http';
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { until } from '../../authn/serve.js';
import { setReady } from '../fleet.js';
import { fakeFleet, listOf, nodeMetrics, podMetrics, root, serving } from './fake-members.js';

const pods = `${root}/namespaces/default/pods`;
const from = (cluster: string) => ({ annotations: { 'resource.karmada.io/query-from-cluster': cluster } });

interface Listed {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

const clustersOf = (items: readonly Listed[]): string[] =>
  items.map(({ metadata }) => metadata.annotations?.['resource.karmada.io/query-from-cluster'] ?? '');

t.test('lists of all members are one list, sorted, and say where the objects are from', async t => {
  const { ask, members } = await fakeFleet(t, 2);
  const [one, two] = members;
  if (!one || !two) throw new Error('there are two');
  one.onRequest = serving({
    [`${root}/pods`]: listOf('PodMetrics', podMetrics('b', '250m'), podMetrics('d', '1')),
    [`${root}/nodes`]: listOf('NodeMetrics', nodeMetrics('n1')),
  });
  two.onRequest = serving({
    [`${root}/pods`]: listOf('PodMetrics', podMetrics('a', '2'), podMetrics('b', '3')),
    [`${root}/nodes`]: listOf('NodeMetrics', nodeMetrics('n2')),
  });
  const { json } = await ask(`GET ${root}/pods`);
  t.match(json, { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1' });
  t.same(
    json.items.map(({ metadata }: Listed) => metadata.name),
    ['a', 'b', 'b', 'd'],
  );
  t.same(clustersOf(json.items), ['member2', 'member1', 'member2', 'member1']);
  t.match(json.items[1], {
    metadata: { namespace: 'default', labels: { app: 'web' } },
    timestamp: '2026-01-02T03:04:05Z',
    window: '30s',
    containers: [{ name: 'main', usage: { cpu: '250m', memory: '64Mi' } }],
  });
  t.equal(json.items[0]?.kind, undefined, 'the items of a list have no type');
  t.same(clustersOf((await ask(`GET ${root}/nodes`)).json.items), ['member1', 'member2']);

  const table = await ask(`GET ${root}/nodes`, {
    headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json' },
  });
  t.same(
    table.json.rows.map(({ cells }: { cells: unknown }) => cells),
    [
      ['n1', '1500m', '2Gi', '30s'],
      ['n2', '1500m', '2Gi', '30s'],
    ],
  );
});

t.test('long lists are one list, too', async t => {
  const { ask, members } = await fakeFleet(t, 2);
  const names = Array.from({ length: 8000 }, (_, i) => `p${(i * 7919) % 8000}`);
  for (const member of members)
    member.onRequest = serving({ [`${root}/pods`]: listOf('PodMetrics', ...names.map(name => podMetrics(name, '1'))) });
  const { json } = await ask(`GET ${root}/pods`);
  t.same(
    json.items.map(({ metadata }: Listed) => metadata.name),
    [...names, ...names].sort(),
  );
});

t.test('selectors reach the members; a namespace is kept to', async t => {
  const { ask, members } = await fakeFleet(t, 1);
  const seen: string[] = [];
  for (const member of members)
    member.onRequest = (request, response) => {
      seen.push(request.url ?? '');
      // It ignores the selectors, and serves objects of another namespace.
      const foreign = podMetrics('foreign', '1', { namespace: 'other' });
      response.end(JSON.stringify(listOf('PodMetrics', podMetrics('a', '1'), podMetrics('b', '1'), foreign)));
    };
  const { json } = await ask(`GET ${pods}?labelSelector=app%3Dweb&fieldSelector=metadata.name%3Db&limit=1`);
  t.same(
    json.items.map(({ metadata }: Listed) => metadata.name),
    ['b'],
  );
  t.match(seen, [/^\/apis\/metrics.k8s.io\/v1beta1\/namespaces\/default\/pods\?/]);
  t.match(seen[0], /labelSelector=app%3Dweb/);
  t.match((await ask(`GET ${pods}?fieldSelector=spec.nodeName%3Db`)).json, {
    code: 400,
    message: '"spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace"',
  });
  t.match((await ask(`GET ${pods}?labelSelector=%3D%3D`)).json, { code: 400 });
  t.equal(seen.length, 1, 'the member is not asked with invalid selectors');
});

t.test('an object is read by its name if only one member has it', async t => {
  const { ask, members } = await fakeFleet(t, 2);
  const [one, two] = members;
  if (!one || !two) throw new Error('there are two');
  one.onRequest = serving({ [`${pods}/both`]: podMetrics('both', '1'), [`${root}/nodes/n`]: nodeMetrics('n') });
  two.onRequest = serving({ [`${pods}/both`]: podMetrics('both', '1'), [`${pods}/a`]: podMetrics('a', '5m') });
  t.match((await ask(`GET ${pods}/a`)).json, {
    ...{ kind: 'PodMetrics', apiVersion: 'metrics.k8s.io/v1beta1' },
    metadata: { name: 'a', ...from('member2') },
  });
  t.match((await ask(`GET ${root}/nodes/n`)).json, { kind: 'NodeMetrics', metadata: from('member1') });
  t.match((await ask(`GET ${pods}/both`)).json, {
    ...{ code: 409, reason: 'Conflict' },
    message: 'Operation cannot be fulfilled on pods "both": the pod(both) found in more than one clusters',
  });
  t.match((await ask(`GET ${pods}/none`)).json, { code: 404, message: 'pods "none" not found' });
  for (const [method, path] of [
    ['DELETE', `${pods}/a`],
    ['POST', pods],
    ['GET', `${pods}?watch=1`],
  ])
    t.equal((await ask(`${method} ${path}`, { body: podMetrics('a', '1') })).status, 405, `${method} ${path}`);
  t.equal((await ask(`GET ${root}/services`)).status, 404);
});

/** Answers with items without an end. */
const endless: http.RequestListener = (_request, response) => {
  response.write('{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[');
  const item = `${JSON.stringify(podMetrics('x', '1', { annotations: { padding: 'p'.repeat(60_000) } }))},`;
  const write = (): void => {
    while (!response.destroyed && response.write(item));
  };
  response.on('drain', write);
  write();
};

t.test('members that fail cost the others nothing', async t => {
  const { control, ask, members } = await fakeFleet(t, 7);
  const [healthy, refusing, missing, garbage, wrong, huge, dead] = members;
  if (!healthy || !refusing || !missing || !garbage || !wrong || !huge || !dead) throw new Error('there are seven');
  healthy.onRequest = serving({ [`${root}/pods`]: listOf('PodMetrics', podMetrics('a', '1')) });
  refusing.onRequest = (_request, response) => void response.writeHead(403).end('no');
  missing.onRequest = serving({});
  garbage.onRequest = (_request, response) => void response.end('{"items":[{]');
  wrong.onRequest = serving({ [`${root}/pods`]: listOf('PodMetrics', podMetrics('w', 'many')) });
  huge.onRequest = endless;
  await dead.stop();
  t.same(clustersOf((await ask(`GET ${root}/pods`)).json.items), ['member1']);
  healthy.onRequest = serving({});
  t.same((await ask(`GET ${root}/pods`)).json.items, []);
  t.match((await ask(`GET ${pods}/a`)).json, { code: 404 });
  t.ok(await control.client.get(resources.clusters, { name: 'member1' }));
});

t.test('a member that does not answer is left out, and waited for less the next time', async t => {
  const { ask, members } = await fakeFleet(t, 2, 3000);
  const [healthy, silent] = members;
  if (!healthy || !silent) throw new Error('there are two');
  healthy.onRequest = serving({ [`${root}/nodes`]: listOf('NodeMetrics', nodeMetrics('n1')) });
  silent.onRequest = () => undefined;
  const asked = async (): Promise<{ clusters: string[]; took: number }> => {
    const began = performance.now();
    const { json } = await ask(`GET ${root}/nodes`);
    return { clusters: clustersOf(json.items), took: performance.now() - began };
  };
  const first = await asked();
  const second = await asked();
  t.same([first.clusters, second.clusters], [['member1'], ['member1']]);
  t.ok(second.took < first.took, `${second.took} < ${first.took}`);
  silent.onRequest = serving({ [`${root}/nodes`]: listOf('NodeMetrics', nodeMetrics('n2')) });
  // It is asked again each time, and is in time on a machine that is not busy.
  await until(async () => (await asked()).clusters.join() === 'member1,member2');
});

t.test('only ready members are asked', async t => {
  const { control, ask, members } = await fakeFleet(t, 2);
  for (const member of members)
    member.onRequest = serving({ [`${root}/nodes`]: listOf('NodeMetrics', nodeMetrics('n')) });
  t.same(clustersOf((await ask(`GET ${root}/nodes`)).json.items), ['member1', 'member2']);
  await setReady(control, 'member1', 'False');
  await until(async () => (await ask(`GET ${root}/nodes`)).json.items.length === 1);
  t.same(clustersOf((await ask(`GET ${root}/nodes`)).json.items), ['member2']);
});
