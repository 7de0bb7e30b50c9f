/** Namespaces. as test/e2e/apimachinery/namespace.go */
import t from 'tap';
import { kit, version } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);
const namespaces = all.of('v1/namespaces');

t.test('a namespace is patched', async t => {
  const name = await all.namespace();
  const before = await namespaces.get(name);
  const patched = await namespaces.patch(name, { metadata: { labels: { testLabel: 'testValue' } } }, 'strategic');
  t.ok(version(patched) > version(before));
  t.equal((await namespaces.get(name)).metadata.labels?.['testLabel'], 'testValue');
});

t.test('a namespace is updated', async t => {
  const name = await all.namespace();
  const updated = await namespaces.update(name, ({ metadata }) => ((metadata.labels ??= {})[name] = 'updated'));
  t.match(updated.metadata.labels, { [name]: 'updated', 'kubernetes.io/metadata.name': name });
});

interface Status {
  phase: string;
  conditions?: { type: string; status: string; reason: string; message: string }[];
}

t.test('the status of a namespace is read, patched, updated', async t => {
  const name = await all.namespace();
  const place = `${name}/status`;
  t.match(await namespaces.get(place), { kind: 'Namespace', status: { phase: 'Active' } });
  const condition = (type: string) => ({ type, status: 'True', reason: 'E2E', message: `${type} by a test` });
  const annotations = { 'patched-status': name };
  const patched = await namespaces.patch(place, {
    metadata: { annotations },
    status: { conditions: [condition('StatusPatch')] },
  });
  t.match(patched, { metadata: { annotations }, status: { conditions: [condition('StatusPatch')] } });
  const updated = await namespaces.update(place, ({ status }) =>
    (status as Status).conditions?.push(condition('StatusUpdate')),
  );
  t.match((updated['status'] as Status).conditions?.at(-1), condition('StatusUpdate'));
});

t.test('a finalizer of a namespace is added and removed', async t => {
  const name = await all.namespace();
  const finalizer = 'e2e.example.com/fakeFinalizer';
  const change = async (to: (known: string[]) => string[]): Promise<string[]> => {
    const current = await namespaces.get(name);
    const { finalizers } = current['spec'] as { finalizers: string[] };
    const after = await namespaces.replace({ ...current, spec: { finalizers: to(finalizers) } }, 'finalize');
    return (after['spec'] as { finalizers: string[] }).finalizers;
  };
  t.same(await change(known => [...known, finalizer]), ['kubernetes', finalizer]);
  t.same(await change(known => known.filter(each => each !== finalizer)), ['kubernetes']);
});

t.test('the Services of a deleted namespace are deleted', async t => {
  const name = await all.namespace();
  await all.of('v1/services', name).create({
    metadata: { name: 'test-service' },
    spec: { selector: { foo: 'bar', baz: 'blah' }, ports: [{ port: 80, targetPort: 80 }] },
  });
  await namespaces.remove(name);
  await namespaces.gone(name);
  await namespaces.create({ metadata: { name } });
  t.same((await all.of('v1/services', name).list()).items, []);
});
