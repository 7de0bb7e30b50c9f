import type { Test } from 'tap';
import { until } from '../../storage/until.js';
import { apply, bindings, core, jsonPatch, merge, policies, type World } from './world.js';

const id = 'resourcebinding.karmada.io/permanent-id';

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

const binding = (name: string, resource: Reference, labels: Record<string, string> = {}) => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { name, labels },
  spec: { resource, clusters: [{ name: 'member1' }] },
});

const configMapIn = (namespace: string, name: string): Reference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace,
  name,
});
const clusterRole: Reference = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'edit' };
const hint = /spec\.resource names an object .*: only users who may .* can write it\. .*ask a cluster administrator/;

async function configMap({ ask }: World, namespace: string, name: string): Promise<void> {
  const { status } = await ask('admin', `POST ${core(namespace)}/configmaps`, { body: { metadata: { name } } });
  if (status !== 201) throw new Error(`ConfigMap ${namespace}/${name}: ${status}`);
}

/** Checks which resources a binding may name if its user may write bindings of one namespace only. */
export async function checkBindings(t: Test, world: World): Promise<void> {
  const { ask, mode, inMember } = world;
  const refused = mode === 'enforce' ? 403 : 201;
  await configMap(world, 'a', 'bound');
  await configMap(world, 'b', 'bound');
  const rows = [
    { user: 'eve', name: 'own', resource: configMapIn('a', 'bound'), status: 201, crosses: false },
    { user: 'eve', name: 'other', resource: configMapIn('b', 'bound'), status: refused, crosses: true },
    { user: 'eve', name: 'cluster', resource: clusterRole, status: refused, crosses: true },
    // A cluster-scoped resource with a namespace matches no object.
    { user: 'eve', name: 'inside', resource: { ...clusterRole, namespace: 'a' }, status: 201, crosses: false },
    { user: 'bob', name: 'both', resource: configMapIn('b', 'bound'), status: 201, crosses: false },
    { user: 'bob', name: 'cluster', resource: clusterRole, status: refused, crosses: true },
    { user: 'admin', name: 'admins', resource: clusterRole, status: 201, crosses: false },
  ];
  for (const { user, name, resource, status, crosses } of rows) {
    const body = binding(name, resource);
    for (const request of [
      `POST ${bindings('a')}?dryRun=All`,
      `PATCH ${bindings('a')}/${name}?dryRun=All&fieldManager=test`,
    ]) {
      const patch = request.startsWith('PATCH');
      const answer = await ask(user, request, { body, ...(patch && { type: apply }) });
      t.equal(answer.status, status, `${user} ${name}: ${request}`);
      if (status === 403) t.match(answer.json.message, hint, `${name}: the message has a hint`);
      t.equal(hint.test(answer.warnings.join()), mode === 'warn' && crosses, `${user} ${name}: warning`);
    }
  }

  for (const [name, resource] of [
    ['own', configMapIn('a', 'bound')],
    ['inside', { ...clusterRole, namespace: 'a' }],
  ] as const)
    await ask('eve', `POST ${bindings('a')}`, { body: binding(name, resource) });
  await until('what it may is applied', async () => (await inMember(`${core('a')}/configmaps/bound`)) !== undefined);
  const works = (await ask('admin', 'GET /apis/work.karmada.io/v1alpha1/works')).json.items as readonly {
    spec: { workload: { manifests: { kind: string; metadata: { name: string } }[] } };
  }[];
  const manifests = works.flatMap(({ spec }) => spec.workload.manifests);
  t.notOk(
    manifests.some(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'edit'),
    'a cluster-scoped object is not found in a namespace',
  );

  const changes = [
    { type: merge, body: { spec: { resource: configMapIn('b', 'bound') } } },
    { type: jsonPatch, body: [{ op: 'replace', path: '/spec/resource/namespace', value: 'b' }] },
    { type: jsonPatch, body: [{ op: 'remove', path: '/spec/resource/namespace' }] },
    { type: `${apply}`, body: binding('own', configMapIn('b', 'bound')), query: '&fieldManager=test&force=true' },
  ];
  for (const { type, body, query = '' } of changes) {
    const answer = await ask('eve', `PATCH ${bindings('a')}/own?dryRun=All${query}`, { type, body });
    t.equal(answer.status, mode === 'enforce' ? 403 : 200, type);
  }
  const { json } = await ask('eve', `GET ${bindings('a')}/own`);
  const body = { ...json, spec: { ...json.spec, resource: configMapIn('b', 'bound') } };
  const put = await ask('eve', `PUT ${bindings('a')}/own?dryRun=All`, { body });
  t.ok(put.status === 409 || put.status === (mode === 'enforce' ? 403 : 200), `PUT: ${put.status}`);
}

/** Checks that a tenant cannot change a binding of an administrator or the dependencies distributor that names another namespace. */
export async function checkForeignBindings(t: Test, { ask, mode }: World): Promise<void> {
  const path = `${bindings('a')}/foreign`;
  const made = await ask('admin', `POST ${bindings('a')}`, { body: binding('foreign', configMapIn('b', 'bound')) });
  t.equal(made.status, 201);
  const own = { spec: { resource: configMapIn('a', 'bound') } };
  const refused = mode === 'enforce' ? 403 : 200;
  const rows = [
    { request: `PATCH ${path}?dryRun=All`, body: { spec: { clusters: [] } }, status: refused },
    { request: `PATCH ${path}?dryRun=All`, body: own, status: refused },
    {
      request: `PATCH ${path}/status?dryRun=All`,
      body: { status: { aggregatedStatus: [{ clusterName: 'member1', status: { x: 1 } }] } },
      status: refused,
    },
    { request: `DELETE ${path}?dryRun=All`, status: refused },
    { request: `PATCH ${path}?dryRun=All`, body: { metadata: { labels: { mine: 'yes' } } }, status: 200 },
  ];
  for (const { request, body, status } of rows) {
    const answer = await ask('eve', request, body ? { type: merge, body } : {});
    t.equal(answer.status, status, `${request} ${JSON.stringify(body)}: ${answer.json.message}`);
    t.equal((await ask('bob', request, body ? { type: merge, body } : {})).status, 200, `bob: ${request}`);
  }
}

/** Checks that a copied binding id gives no access. Works are found by the id of their binding, a label that any user can copy. */
export async function checkCopiedIds(t: Test, { ask, inMember }: World): Promise<void> {
  const { json } = await ask('admin', `POST ${bindings('b')}`, { body: binding('victim', configMapIn('b', 'bound')) });
  const copied = (json.metadata['labels'] as Record<string, string>)[id] ?? '';
  const member = `${core('b')}/configmaps/bound`;
  await until("the victim's object is there", async () => (await inMember(member)) !== undefined);
  const uid = (await inMember(member))?.metadata['uid'];

  const thief = binding('thief', configMapIn('a', 'bound'), { [id]: copied });
  const { status } = await ask('eve', `POST ${bindings('a')}`, {
    body: { ...thief, spec: { ...thief.spec, clusters: [] } },
  });
  t.equal(status, 201);
  // The controller handles bindings in order: it has handled this one when a later one is applied.
  await ask('eve', `POST ${bindings('a')}`, { body: binding('later', configMapIn('a', 'later')) });
  const later = await ask('eve', `POST ${core('a')}/configmaps`, { body: { metadata: { name: 'later' } } });
  t.equal(later.status, 201);
  await ask('eve', `PATCH ${bindings('a')}/later`, { type: merge, body: { spec: { replicas: 1 } } });
  await until(
    'a later binding is applied',
    async () => (await inMember(`${core('a')}/configmaps/later`)) !== undefined,
  );
  t.equal((await inMember(member))?.metadata['uid'], uid, "the victim's object is kept");
  const stolen = await ask('eve', `GET ${bindings('a')}/thief`);
  t.notOk(
    (stolen.json['status'] as { aggregatedStatus?: unknown } | undefined)?.aggregatedStatus,
    'the copied binding has no status of it',
  );
}

/** Checks that Works outside of cluster namespaces are ignored, also with the labels of a foreign binding. */
export async function checkForgedWorks(t: Test, { ask }: World): Promise<void> {
  const marked = binding('marked', configMapIn('b', 'bound'));
  // Bindings of policies have this finalizer, which is removed after all of their Works.
  const metadata = { ...marked.metadata, finalizers: ['karmada.io/binding-controller'] };
  const { json } = await ask('admin', `POST ${bindings('b')}`, { body: { ...marked, metadata } });
  const copied = (json.metadata['labels'] as Record<string, string>)[id] ?? '';
  const works = '/apis/work.karmada.io/v1alpha1/namespaces/a/works';
  const { status } = await ask('eve', `POST ${works}`, {
    body: {
      apiVersion: 'work.karmada.io/v1alpha1',
      kind: 'Work',
      metadata: {
        name: 'forged',
        labels: { [id]: copied },
        annotations: { 'resourcebinding.karmada.io/namespace': 'b', 'resourcebinding.karmada.io/name': 'marked' },
        finalizers: ['example.com/for-ever'],
      },
      spec: { workload: { manifests: [] } },
    },
  });
  t.equal(status, 201);
  await ask('bob', `DELETE ${bindings('b')}/marked`);
  await until('the binding goes', async () => (await ask('bob', `GET ${bindings('b')}/marked`)).status === 404);
  t.equal((await ask('eve', `GET ${works}/forged`)).status, 200, 'a Work outside of cluster namespaces is kept');
}

/** Checks that policies cannot select other namespaces, as in Karmada. */
export async function checkPolicies(t: Test, { ask }: World): Promise<void> {
  const selector = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'b' };
  for (const kind of ['PropagationPolicy', 'OverridePolicy'] as const) {
    const { status, json } = await ask(
      'eve',
      `POST ${policies('a')}/${kind.toLowerCase().replace('policy', 'policies')}`,
      {
        body: {
          apiVersion: 'policy.karmada.io/v1alpha1',
          kind,
          metadata: { name: 'reaches' },
          spec: { resourceSelectors: [selector], ...(kind === 'OverridePolicy' && { overrideRules: [] }) },
        },
      },
    );
    t.equal(status, 403, kind);
    t.match(json.message, /namespace of resource selector must be the same as the namespace of the policy/, kind);
  }
}
