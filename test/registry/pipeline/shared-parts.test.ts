/** Unchanged parts are not copied by a write: the new object shares them with the previous one. */
import t, { type Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { define, definition, version, widget, widgets } from '../dynamic/definitions.js';
import { type Served, deployment, deployments, namespaces, serve } from '../serve.js';

interface Kind {
  readonly name: string;
  readonly resource: GroupVersionResource;
  readonly object: KubeObject;
  /** Changes the spec, then the status. */
  readonly spec: object;
  readonly status: object;
}

const key = { namespace: 'default', name: 'a' };
const kinds: readonly Kind[] = [
  {
    name: 'a built-in kind',
    resource: deployments,
    object: deployment('a'),
    spec: { replicas: 3 },
    status: { replicas: 1, observedGeneration: 1 },
  },
  {
    name: 'a custom resource',
    resource: widgets,
    object: widget('a', { spec: { z: { y: [1] }, a: 'b' } }),
    spec: { a: 'c' },
    status: { z: 1, a: { c: 1, b: 2 } },
  },
];

const served = async (t: Test): Promise<Served> => {
  const all = await serve(t);
  await define(all.client, definition({ versions: [version('v1', { subresources: { status: {} } })] }));
  return all;
};

/** Returns the object decoded from its bytes, as another process would read it. */
async function written({ backend }: Served, { group, resource }: GroupVersionResource): Promise<KubeObject> {
  const prefix = resource === 'deployments' ? 'deployments' : `${group}/${resource}`;
  const item = await backend.get(`/registry/${prefix}/default/a`);
  return JSON.parse(Buffer.from(item?.value ?? []).toString()) as KubeObject;
}

const withoutVersion = ({ metadata, ...rest }: KubeObject): unknown => {
  const { resourceVersion: _, ...own } = metadata;
  return { ...rest, metadata: own };
};

for (const { name, resource, object, spec, status } of kinds) {
  t.test(`${name}: a status shares the spec, and a spec the status`, async t => {
    const all = await served(t);
    const { client } = all;
    const made = await client.create(resource, object);
    const reported = await client.update(resource, { ...made, status }, { subresource: 'status' });
    t.equal(reported.spec, made.spec, 'the very same');
    t.same(reported.status, status);
    t.same(await written(all, resource), withoutVersion(reported), 'and its bytes are complete');
    const changed = await client.update(resource, { ...reported, spec: { ...(reported.spec as object), ...spec } });
    t.match(changed.spec, spec);
    t.equal(changed.status, reported.status, 'the very same');
    t.same(await written(all, resource), withoutVersion(changed));
    const later = await client.update(resource, { ...changed, status: {} }, { subresource: 'status' });
    t.equal(later.spec, changed.spec, 'that of the newest');
    t.same(await client.get(resource, key), later);
  });

  t.test(`${name}: field ownership does not depend on sharing`, async t => {
    const { client } = await served(t);
    const made = await client.create(resource, object);
    const how = { subresource: 'status', fieldManager: 'reporter' } as const;
    const shared = await client.update(resource, { ...made, status }, how);
    const fields = shared.metadata.managedFields?.find(({ manager }) => manager === 'reporter');
    t.same(Object.keys(fields?.fieldsV1 ?? {}), ['f:status']);
    await client.delete(resource, key);
    const again = await client.create(resource, object);
    const copied = await client.update(resource, { ...structuredClone(again), status }, how);
    const ownership = ({ managedFields }: KubeObject['metadata']): unknown =>
      managedFields?.map(({ time: _, ...entry }) => entry);
    t.same(ownership(copied.metadata), ownership(shared.metadata));
  });

  t.test(`${name}: a status update does not change the spec, whatever it contains`, async t => {
    const { client } = await served(t);
    await client.create(resource, object);
    const changed = await client.patch(resource, key, { type: 'merge', patch: { spec } });
    const forged = { ...changed, spec: { ...(changed.spec as object), replicas: 7 }, status };
    const reported = await client.update(resource, forged, { subresource: 'status' });
    t.same(reported.spec, changed.spec);
  });
}

t.test('an object that is marked as deleted shares the spec', async t => {
  const { client } = await serve(t);
  const made = await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  await client.delete(namespaces, { name: 'n' });
  const marked = await client.get(namespaces, { name: 'n' });
  t.match(marked, { metadata: { deletionTimestamp: String }, status: { phase: 'Terminating' } });
  t.match(made.status, { phase: 'Active' }, 'the previous version is unchanged');
  t.equal(marked.spec, made.spec, 'the very same');
});

t.test('a status update keeps a spec that has changed meanwhile', async t => {
  const { client } = await serve(t);
  const made = await client.create(deployments, deployment('a'));
  const changed = await client.patch(deployments, key, { type: 'merge', patch: { spec: { replicas: 3 } } });
  const { resourceVersion: _, ...metadata } = made.metadata;
  const late = { ...made, metadata, status: { replicas: 1 } };
  const reported = await client.update(deployments, late, { subresource: 'status' });
  t.equal(reported.spec, changed.spec);
  t.same(reported.status, { replicas: 1 });
});
