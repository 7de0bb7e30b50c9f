/** Flagship on the etcd of a karmada-apiserver: it writes the same keys and values. */
import t, { type Test } from 'tap';
import { decodeProtobuf } from '../../apiserver/negotiate/protobuf/envelope.js';
import type { Item, Revision } from '../../storage/interface.js';
import { differences } from '../conformance/differences.js';
import { recorded } from '../data.js';
import { openTestEtcd, startEtcd, withoutEtcd } from '../storage/etcd-server.js';
import { temporaryFolder } from '../storage/folder.js';
import { until } from '../storage/until.js';
import { up } from './process.js';

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name: string; readonly namespace?: string; readonly uid: string };
}

interface Recording {
  readonly entries: readonly { readonly key: string; readonly value: string; readonly revision: Revision }[];
  readonly served: Readonly<Record<string, { readonly items: readonly Named[] }>>;
}

const recording = recorded('golden/etcd.json') as Recording;
type Backend = Awaited<ReturnType<typeof openTestEtcd>>;

/** Starts an etcd with the recorded entries. */
async function recordedEtcd(t: Test): Promise<{ endpoint: string; store: Backend }> {
  const etcd = await startEtcd(t);
  const store = await openTestEtcd(etcd);
  t.teardown(() => store.close());
  for (const { key, value } of [...recording.entries].sort((a, b) => a.revision - b.revision))
    await store.put(key, 'absent', Buffer.from(value, 'base64'));
  return { endpoint: etcd.endpoint, store };
}

interface Stored {
  readonly key: string;
  readonly revision: Revision;
  readonly form: string;
  readonly object: Named;
}

/** Parses a value as kube-apiserver would, with its encoding, version and kind as `form`. */
function read({ key, value, revision }: Item<Uint8Array>): Stored {
  const bytes = Buffer.from(value);
  const isProtobuf = bytes.toString('latin1', 0, 4) === 'k8s\0';
  const object = (
    isProtobuf ? decodeProtobuf(bytes, { apiVersion: '', kind: '' }) : JSON.parse(bytes.toString())
  ) as Named;
  const form = isProtobuf ? 'protobuf' : bytes.at(-1) === 0x0a ? 'JSON, and a line end' : 'JSON';
  return { key, revision, form: `${form} ${object.apiVersion} ${object.kind}`, object };
}

async function contents(store: Backend): Promise<Map<string, Stored>> {
  const { items } = await store.range('/registry/');
  return new Map(items.map(item => [item.key, read(item)]));
}

/** Returns the object without the fields that the test changes. */
function compared(object: Named): unknown {
  const {
    labels: _l,
    managedFields: _m,
    generation: _g,
    ...metadata
  } = { ...object.metadata } as Readonly<Record<string, unknown>>;
  return { ...object, metadata };
}

const label = (object: Named): unknown =>
  (object.metadata as { readonly labels?: Readonly<Record<string, string>> }).labels?.['test/touched'];

t.test('every object that is updated keeps its key, form and content', { skip: withoutEtcd }, async t => {
  const { endpoint, store } = await recordedEtcd(t);
  // Without controllers there are no Leases, whose writes would come at any time.
  const { server } = await up(t, await temporaryFolder(t), '--controllers=-*', `--storage=etcd=${endpoint}`);
  const before = await contents(store);
  const byUid = new Map([...before.values()].map(stored => [stored.object.metadata?.uid, stored]));
  const touched = new Map<string, string>();
  for (const [list, { items }] of Object.entries(recording.served)) {
    for (const { metadata } of items) {
      // The same object may be listed in several versions.
      if (metadata === undefined || touched.has(metadata.uid)) continue;
      const { name, namespace, uid } = metadata;
      const path = namespace === undefined ? list : list.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
      const { status, text } = await server.call('PATCH', `${path}/${name}`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{"metadata":{"labels":{"test/touched":"yes"}}}',
      });
      if (status === 200) touched.set(uid, `${path}/${name}`);
      else t.comment(`${status} ${path}/${name}: ${text.slice(0, 200)}`);
    }
  }
  t.ok(touched.size > 200, `${touched.size} objects are updated`);
  const after = await contents(store);
  for (const [uid, path] of touched) {
    const old = byUid.get(uid);
    const now = after.get(old?.key ?? '');
    if (old === undefined || now === undefined) t.fail(`${path} is not at ${old?.key}`);
    else {
      t.equal(now.form, old.form, old.key);
      t.equal(label(now.object), 'yes', old.key);
      t.same(differences(compared(old.object), compared(now.object)), [], old.key);
    }
  }
  t.same([...after.keys()].sort(), [...before.keys()].sort(), 'no other keys are written');
});

t.test('controllers continue to propagate changes', { skip: withoutEtcd }, async t => {
  const { endpoint, store } = await recordedEtcd(t);
  // The recorded members are gone; controllers that would notice are disabled.
  const controllers = '--controllers=*,-cluster,-clusterStatus,-execution,-workStatus,-unifiedAuth';
  const { server } = await up(t, await temporaryFolder(t), controllers, `--storage=etcd=${endpoint}`);
  const { status } = await server.call('PATCH', '/apis/apps/v1/namespaces/shop/deployments/web', {
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"metadata":{"labels":{"test":"new"}},"spec":{"replicas":9}}',
  });
  t.equal(status, 200);
  const replicas = (stored: Stored | undefined): unknown => JSON.stringify(stored?.object).match(/"replicas":\d+/)?.[0];
  const works = ['member1', 'member2'].map(name => `/registry/work.karmada.io/works/karmada-es-${name}/web-56d6c779bb`);
  const deploymentWorks = async (): Promise<(Stored | undefined)[]> => {
    const now = await contents(store);
    const found = [...now.values()].filter(
      one =>
        one.key.startsWith('/registry/work.karmada.io/works/') &&
        /"kind":"Deployment"/.test(JSON.stringify(one.object)),
    );
    return found;
  };
  await until('the Works carry the new division', async () => {
    const found = await deploymentWorks();
    return found.length === 2 && found.map(replicas).sort().join() === '"replicas":3,"replicas":6';
  });
  const now = await contents(store);
  for (const key of ['/registry/work.karmada.io/resourcebindings/shop/web-deployment', ...works])
    t.match(now.get(key)?.form, /^JSON, and a line end work\.karmada\.io\/v1alpha/, key);
  t.match(now.get('/registry/deployments/shop/web')?.form, /^protobuf apps\/v1 Deployment$/);
});

t.test('watches resume after a restart', { skip: withoutEtcd }, async t => {
  const { endpoint } = await startEtcd(t);
  const directory = await temporaryFolder(t);
  const start = (): ReturnType<typeof up> => up(t, directory, '--controllers=-*', `--etcd-servers=${endpoint}`);
  const maps = '/api/v1/namespaces/default/configmaps';
  const headers = { 'content-type': 'application/json' };
  const first = await start();
  const write = async ({ server }: typeof first, name: string, path = maps, kind = 'ConfigMap'): Promise<string> => {
    const body = JSON.stringify({ apiVersion: 'v1', kind, metadata: { name } });
    const { text } = await server.call('POST', path, { headers, body });
    return (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
  };
  const from = await write(first, 'a');
  await write(first, 'b');
  await first.server.call('PATCH', `${maps}/a`, {
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"data":{"k":"v"}}',
  });
  await first.server.call('DELETE', `${maps}/b`);
  await first.end('SIGTERM');

  const second = await start();
  const secrets = '/api/v1/namespaces/default/secrets';
  const follow = async (path: string, query = ''): Promise<string[]> => {
    const told: string[] = [];
    const watch = await second.server.watch(`${path}?watch=1&resourceVersion=${from}${query}`, {}, line => {
      const { type, object } = JSON.parse(line) as { type: string; object: Named & { data?: { k?: string } } };
      told.push(`${type} ${object.metadata?.name} ${object.data?.k ?? ''}`.trim());
    });
    t.equal(watch.type, 'open');
    t.teardown(() => watch.type === 'open' && watch.close());
    return told;
  };
  const [all, one, quiet] = [
    await follow(maps),
    await follow(maps, '&fieldSelector=metadata.name=b'),
    await follow(secrets),
  ];
  await until('the earlier changes', () => all.length === 3 && one.length === 2);
  t.same(all, ['ADDED b', 'MODIFIED a v', 'DELETED b']);
  t.same(one, ['ADDED b', 'DELETED b']);
  await write(second, 'c');
  await write(second, 's', secrets, 'Secret');
  await until('the new change', () => all.length === 4 && quiet.length === 1);
  t.same([all.at(-1), quiet.at(-1)], ['ADDED c', 'ADDED s']);
});

t.test(
  'claims in a StatefulSet keep apiVersion and kind, which protobuf does not carry',
  { skip: withoutEtcd },
  async t => {
    const { endpoint } = await startEtcd(t);
    const started = async () =>
      (await up(t, await temporaryFolder(t), '--controllers=-*', `--storage=etcd=${endpoint}`)).server;
    const claimType = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
    const path = '/apis/apps/v1/namespaces/default/statefulsets';
    const labels = { app: 'web' };
    const body = JSON.stringify({
      metadata: { name: 'web' },
      spec: {
        ...{ serviceName: 'web', selector: { matchLabels: labels } },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
    const writer = await started();
    const created = await writer.call('POST', path, { headers: { 'content-type': 'application/json' }, body });
    t.equal(created.status, 201);
    const reader = await started();
    for (const server of [writer, reader]) {
      const { text } = await server.call('GET', `${path}/web`);
      t.match(JSON.parse(text), { spec: { volumeClaimTemplates: [claimType] } });
    }
  },
);
