/** Server-side apply as Flux uses it: migration, dry run, force, shared ownership, pruning. */
import t, { type Test } from 'tap';
import type { ManagedFieldsEntry } from '../../apimachinery/interface.js';
import { runningServer } from '../apiserver/running.js';
import { kubectlFor, needsKubectl } from './kubectl.js';
import { deployment, paths, widget, widgets } from './manifests.js';
import { type Reply, wire, type Wired } from './wire.js';

const json = 'application/json';
const flux = 'kustomize-controller';

/** Returns the entries of managedFields, as `manager Operation [subresource]`. */
const managers = ({ metadata }: Wired): string[] =>
  (metadata.managedFields ?? []).map(
    ({ manager, operation, subresource }: ManagedFieldsEntry) =>
      `${manager ?? ''} ${operation ?? ''}${subresource ? ` ${subresource}` : ''}`,
  );

interface Setup {
  readonly ask: (what: string, body?: object, type?: string) => Promise<Reply>;
  readonly apply: (path: string, body: object, options?: string) => Promise<Reply>;
  readonly kubectl: ReturnType<typeof kubectlFor>;
}

async function setUp(t: Test): Promise<Setup> {
  const server = await runningServer(t);
  const client = wire(t, server);
  const ask: Setup['ask'] = (what, body, type = json) =>
    client.send(what, { accept: json, type, ...(body && { body }) });
  const apply: Setup['apply'] = (path, body, options = `fieldManager=${flux}&force=true`) =>
    ask(`PATCH ${path}?${options}`, body, 'application/apply-patch+yaml');
  return { ask, apply, kubectl: kubectlFor(t, server) };
}

const web = `${paths.deployments}/web`;
const replicasOf = ({ object }: Reply): unknown => (object['spec'] as Wired)['replicas'];

t.test('fields that kubectl applied are migrated, and removed with the manifest', needsKubectl, async t => {
  const { ask, apply, kubectl } = await setUp(t);
  const input = JSON.stringify(deployment({ minReadySeconds: 5 }));
  t.match(await kubectl('apply -f -', { input }), { code: 0, out: 'deployment.apps/web created\n' });
  const before = (await ask(`GET ${web}`)).object;
  t.same(managers(before), ['kubectl-client-side-apply Update']);

  // The controller migrates the fields of kubectl to itself with a JSON patch.
  const managedFields = (before.metadata.managedFields ?? []).map(entry => ({
    ...entry,
    manager: flux,
    operation: 'Apply',
  }));
  const migrate = (version: string | undefined): object[] => [
    { op: 'test', path: '/metadata/resourceVersion', value: version },
    { op: 'replace', path: '/metadata/managedFields', value: managedFields },
  ];
  const type = 'application/json-patch+json';
  t.match(await ask(`PATCH ${web}`, migrate('1'), type), { status: 422, object: { reason: 'Invalid' } });
  const moved = await ask(`PATCH ${web}`, migrate(before.metadata.resourceVersion), type);
  t.same(managers(moved.object), [`${flux} Apply`]);

  const applied = await apply(web, deployment());
  t.equal(applied.status, 200, JSON.stringify(applied.object.message));
  t.notOk(
    'minReadySeconds' in (applied.object['spec'] as object),
    'a field of kubectl that the manifest lacks is removed',
  );
  t.equal(applied.object.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'], undefined);
  t.same(managers(applied.object), [`${flux} Apply`]);
});

t.test('kubectl apply --server-side migrates from client-side apply', needsKubectl, async t => {
  const { ask, kubectl } = await setUp(t);
  const input = JSON.stringify(deployment({ minReadySeconds: 5 }));
  await kubectl('apply -f -', { input });
  const moved = await kubectl('apply --server-side -f -', { input: JSON.stringify(deployment()) });
  t.match(moved, { code: 0, out: 'deployment.apps/web serverside-applied\n' });
  const { object } = await ask(`GET ${web}`);
  t.notOk('minReadySeconds' in (object['spec'] as object));
  t.same(managers(object), ['kubectl-last-applied Apply', 'kubectl Apply'], 'the annotation has its own manager');
  // Back to client-side apply, which uses the annotation.
  const back = await kubectl('apply -f -', { input: JSON.stringify(deployment({ minReadySeconds: 7 })) });
  t.equal(back.code, 0, back.err);
  t.match((await ask(`GET ${web}`)).object, { spec: { minReadySeconds: 7 } });
});

t.test('drift is found by a dry run and corrected by force', async t => {
  const { ask, apply } = await setUp(t);
  const first = await apply(web, deployment());
  t.equal(first.status, 201);
  const image = { spec: { template: { spec: { containers: [{ name: 'web', image: 'other:1' }] } } } };
  const drifted = await ask(`PATCH ${web}?fieldManager=kubectl-edit`, image, 'application/strategic-merge-patch+json');
  t.same(managers(drifted.object), [`${flux} Apply`, 'kubectl-edit Update']);
  t.match(await apply(web, deployment(), `fieldManager=${flux}`), {
    status: 409,
    object: {
      message:
        /^Apply failed with 1 conflict: conflict with "kubectl-edit" using apps\/v1: \.spec\.template\.spec\.containers\[name="web"\]\.image$/,
      details: {
        causes: [{ reason: 'FieldManagerConflict', field: '.spec.template.spec.containers[name="web"].image' }],
      },
    },
  });
  const dry = await apply(web, deployment(), `fieldManager=${flux}&force=true&dryRun=All`);
  t.same(dry.object['spec'], first.object['spec'], 'the dry run returns the result');
  t.equal(dry.object.metadata.resourceVersion, drifted.object.metadata.resourceVersion);
  t.match((await ask(`GET ${web}`)).object, drifted.object, 'the dry run stores nothing');
  const corrected = await apply(web, deployment());
  t.same(corrected.object['spec'], first.object['spec']);
  t.same(managers(corrected.object), [`${flux} Apply`], 'a manager without fields is removed');
  t.equal(corrected.object.metadata.generation, 3);
  const again = await apply(web, deployment());
  t.same(again.object, corrected.object, 'a second identical apply writes nothing');
});

t.test('a field is handed over between managers', async t => {
  const { ask, apply } = await setUp(t);
  await apply(web, deployment());
  const scaled = await ask(
    `PATCH ${web}/scale?fieldManager=hpa`,
    { spec: { replicas: 7 } },
    'application/merge-patch+json',
  );
  t.equal(scaled.status, 200);
  const { replicas: _, ...without } = deployment().spec;
  const given = await apply(web, { ...deployment(), spec: without });
  t.equal(replicasOf(given), 7, 'a field with another owner is kept');
  t.same(managers(given.object).sort(), ['hpa Update scale', `${flux} Apply`].sort());
  const fought = await apply(web, deployment(), `fieldManager=${flux}`);
  t.match(fought.object.message, 'conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas');
  const shared = await apply(web, deployment({ replicas: 7 }), `fieldManager=${flux}`);
  t.equal(shared.status, 200, 'the same value does not conflict');
  const alone = await apply(web, { ...deployment(), spec: without });
  t.equal(replicasOf(alone), 7);
  const applier = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { paused: true } };
  t.equal((await apply(web, applier, 'fieldManager=pauser')).status, 200);
  const { spec: __, ...nothing } = applier;
  const unpaused = await apply(web, nothing, 'fieldManager=pauser');
  t.notOk('paused' in (unpaused.object['spec'] as object), 'a field without an owner is removed');
  t.notOk(managers(unpaused.object).some(name => name.startsWith('pauser')));
});

t.test('custom resources are merged by the keys and sets of their schema', async t => {
  const { ask, apply } = await setUp(t);
  t.equal((await ask(`POST ${paths.crds}`, widgets)).status, 201);
  const one = `${paths.widgets}/one`;
  const first = await apply(
    one,
    widget({
      parts: [
        { name: 'a', count: 1 },
        { name: 'a', kind: 'odd' },
      ],
      tags: ['x', 'y'],
      steps: ['1', '2'],
    }),
  );
  t.match(first, {
    status: 201,
    object: {
      spec: {
        size: 1,
        parts: [
          { name: 'a', kind: 'plain' },
          { name: 'a', kind: 'odd' },
        ],
      },
    },
  });
  const other = await apply(one, widget({ parts: [{ name: 'b', count: 2 }], tags: ['z', 'y'] }), 'fieldManager=other');
  t.same((other.object['spec'] as Wired)['tags'], ['x', 'z', 'y'], 'sets are merged');
  t.match(await apply(one, widget({ steps: ['3'] }), 'fieldManager=other'), {
    status: 409,
    object: { message: `Apply failed with 1 conflict: conflict with "${flux}": .spec.steps` },
  });
  const less = await apply(one, widget({ parts: [{ name: 'a', kind: 'plain', count: 3 }], tags: ['x'] }));
  t.same(less.object['spec'], {
    parts: [
      { name: 'a', kind: 'plain', count: 3 },
      { name: 'b', kind: 'plain', count: 2 },
    ],
    size: 1,
    tags: ['x', 'z', 'y'],
  });
  t.match(await apply(one, widget({ tags: ['q', 'q'] })), {
    status: 500,
    object: { message: /\.spec\.tags: duplicate entries for key \[="q"\]$/ },
  });
});

t.test('objects that left the inventory are pruned', async t => {
  const { ask, apply } = await setUp(t);
  const labels = { 'kustomize.toolkit.fluxcd.io/name': 'app', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
  const selector = encodeURIComponent(
    Object.entries(labels)
      .map(pair => pair.join('='))
      .join(','),
  );
  const make = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels },
    data: {},
  });
  for (const name of ['a', 'b', 'c']) t.equal((await apply(`${paths.configMaps}/${name}`, make(name))).status, 201);
  const inventory = ['a', 'c'];
  const { object } = await ask(`GET ${paths.configMaps}?labelSelector=${selector}`);
  for (const { metadata } of object.items ?? []) {
    if (inventory.includes(metadata.name ?? '')) continue;
    const options = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
      preconditions: { uid: metadata.uid },
    };
    t.equal((await ask(`DELETE ${paths.configMaps}/${metadata.name}`, options)).status, 200);
  }
  const left = await ask(`GET ${paths.configMaps}?labelSelector=${selector}`);
  t.same(
    left.object.items?.map(({ metadata }) => metadata.name),
    inventory,
  );
});
