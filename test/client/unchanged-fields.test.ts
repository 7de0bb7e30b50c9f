/** Updates with objects that were read: their unchanged managedFields are recognized, and have the same result as those of a copy. */
import t from 'tap';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { resources } from '../../api/karmada/well-known.js';
import { runningServer } from '../apiserver/running.js';

interface Case {
  readonly name: string;
  readonly resource: GroupVersionResource;
  readonly object: KubeObject;
  readonly change: (object: KubeObject) => KubeObject;
  readonly subresource?: 'status';
}

const metadata = { name: 'a', namespace: 'default' };
const cases: readonly Case[] = [
  {
    name: 'a native kind',
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'one', b: 'two' } },
    change: object => ({ ...object, data: { a: 'one', b: 'other' } }),
  },
  {
    name: 'a custom resource',
    resource: resources.works,
    object: {
      ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata },
      spec: { workload: { manifests: [] } },
    },
    change: object => ({ ...object, spec: { suspendDispatching: true } }),
  },
  {
    name: 'a status',
    resource: resources.works,
    object: {
      ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata },
      spec: { workload: { manifests: [] } },
    },
    change: object => ({ ...object, status: { manifestStatuses: [] } }),
    subresource: 'status',
  },
];

/** Returns the ownership of fields, without the times. */
const ownership = ({ metadata }: KubeObject): unknown => metadata.managedFields?.map(({ time: _, ...entry }) => entry);

t.test('an update with the object that was read gives the same ownership as one with a copy', async t => {
  const { client } = await runningServer(t);
  for (const { name, resource, object, change, subresource } of cases) {
    const write = { fieldManager: 'other', ...(subresource && { subresource }) };
    const outcomes: unknown[] = [];
    for (const send of [(got: KubeObject) => got, cloneJson]) {
      await client.create(resource, object, { fieldManager: 'one' });
      const got = await client.get(resource, metadata);
      const before = cloneJson(got);
      const updated = await client.update(resource, change(send(got)), write);
      t.strictSame(got, before, `${name}: the object that was read is unchanged`);
      t.equal(updated.metadata.managedFields?.length, 2, `${name}: there are two managers`);
      outcomes.push(ownership(updated));
      await client.delete(resource, metadata);
    }
    t.strictSame(outcomes[0], outcomes[1], name);
  }
});

t.test('an update that removes managedFields resets them', async t => {
  const { client } = await runningServer(t);
  const [{ resource, object }] = cases as [Case];
  await client.create(resource, object, { fieldManager: 'one' });
  const got = await client.get(resource, metadata);
  const without = await client.update(resource, { ...got, metadata: { ...got.metadata, managedFields: [{}] } });
  t.equal(without.metadata.managedFields, undefined);
});
