/** Mirrors the metadata of all kinds of discovery, as Argo CD and garbage collectors do. */
import t from 'tap';
import { runningServer } from '../apiserver/running.js';
import { customKind, definitionsPath } from '../custom-kinds.js';
import { reflect, type Reflector } from './reflector.js';
import { accepts, protobuf, wire, type Wire } from './wire.js';

interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

/** Returns the paths of all resources that can be listed and watched, in the preferred version of their group. */
async function watchable(client: Wire): Promise<string[]> {
  const paths: string[] = [];
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  for (const root of ['/api', '/apis']) {
    const { items } = (await client.send(`GET ${root}`, { accept })).object as unknown as Discovered;
    for (const { metadata, versions } of items) {
      const [preferred] = versions;
      for (const { resource, verbs } of preferred?.resources ?? [])
        if (verbs.includes('list') && verbs.includes('watch'))
          paths.push([root, metadata.name, preferred?.version, resource].filter(Boolean).join('/'));
    }
  }
  return paths;
}

const inDefault = (path: string): string => path.replace(/\/([^/]+)$/, '/namespaces/default/$1');

const objects: readonly { path: string; body: object }[] = [
  { path: '/api/v1/configmaps', body: { apiVersion: 'v1', kind: 'ConfigMap', data: { large: 'x'.repeat(100_000) } } },
  { path: '/api/v1/secrets', body: { apiVersion: 'v1', kind: 'Secret', data: { hidden: 'c2VjcmV0' } } },
  { path: '/api/v1/serviceaccounts', body: { apiVersion: 'v1', kind: 'ServiceAccount' } },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/roles',
    body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] },
  },
  {
    path: '/apis/networking.k8s.io/v1/networkpolicies',
    body: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', spec: { podSelector: {} } },
  },
  { path: '/apis/example.com/v1/foos', body: { apiVersion: 'example.com/v1', kind: 'Foo', spec: { large: 'x' } } },
];

for (const form of ['metadata', 'binaryMetadata'] as const)
  t.test(`the metadata of all kinds is mirrored (${form})`, async t => {
    const server = await runningServer(t);
    const client = wire(t, server);
    await client.send(`POST ${definitionsPath}`, { body: customKind('Foo') });
    const paths = await watchable(client);
    t.ok(paths.length > 50 && paths.includes('/apis/example.com/v1/foos'), `${paths.length} kinds`);
    const line = wire(t, server);
    const mirrors = new Map<string, Reflector>(
      paths.map(path => [path, reflect(line, { path, accept: accepts[form], pageSize: 5 })]),
    );
    for (const mirror of mirrors.values()) await mirror.until(() => mirror.resourceVersion !== '');
    t.ok(mirrors.get('/api/v1/namespaces')?.objects.has('/default'));

    for (const { path, body } of objects) {
      const metadata = { name: 'probe', namespace: 'default', labels: { step: '1' } };
      const made = { ...body, metadata };
      const answer = await client.send(`POST ${inDefault(path)}`, {
        body: JSON.stringify(made),
        type: 'application/json',
      });
      t.equal(answer.status, 201, path);
      await mirrors.get(path)?.until(seen => seen.has('default/probe'));
      const seen = mirrors.get(path)?.objects.get('default/probe');
      t.strictSame(Object.keys(seen ?? {}).sort(), ['apiVersion', 'kind', 'metadata']);
      t.match(seen, {
        apiVersion: 'meta.k8s.io/v1',
        kind: 'PartialObjectMetadata',
        metadata: { ...metadata, uid: answer.object.metadata.uid },
      });
    }

    for (const { path } of objects) {
      const one = `${inDefault(path)}/probe`;
      const patched = await client.send(`PATCH ${one}`, {
        body: JSON.stringify({ metadata: { labels: { step: '2' } } }),
        type: 'application/merge-patch+json',
        accept: accepts[form],
      });
      t.match(patched.object, { kind: 'PartialObjectMetadata', metadata: { labels: { step: '2' } } }, path);
      if (form === 'binaryMetadata') t.equal(patched.headers['content-type'], protobuf);
      await mirrors.get(path)?.until(seen => seen.get('default/probe')?.metadata.labels?.['step'] === '2');
      await client.send(`DELETE ${one}`);
      await mirrors.get(path)?.until(seen => !seen.has('default/probe'));
    }

    await client.send(`DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com`);
    await mirrors.get(definitionsPath)?.until(seen => !seen.has('/foos.example.com'));
    for (const [path, mirror] of mirrors) {
      t.same(mirror.faults, [], path);
      if (path !== '/apis/example.com/v1/foos') await mirror.stop();
    }
  });
