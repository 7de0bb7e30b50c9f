/** The four types of patches, of a small object and of a large one. */
import type { HostileRequest, Row, Fixture } from '../row.js';
import {
  configMap,
  configMaps,
  container,
  deployment,
  deployments,
  entries,
  maxBytes,
  patch,
  post,
  put,
  range,
  remove,
} from './objects.js';

type Make = (path: string, size: number, fixture: Fixture) => Iterable<HostileRequest>;

/** Creates an object, sends the requests that `make` returns for its path, and deletes it. */
const onObject = (
  name: string,
  size: number,
  path: string,
  create: (name: string, size: number) => object,
  make: Make,
): Row => ({
  name: `patches/${name}`,
  size,
  async play(fixture) {
    const own = fixture.name();
    await fixture.must(post(path, create(own, fixture.size)));
    for (const request of make(`${path}/${own}`, fixture.size, fixture)) await fixture.send(request);
    await fixture.must(remove(`${path}/${own}`));
  },
});

const onMap = (name: string, size: number, make: Make): Row =>
  onObject(name, size, configMaps, own => configMap(own, { data: { k: 'v' } }), make);
const onDeployment = (name: string, size: number, make: Make): Row =>
  onObject(name, size, deployments, own => deployment(own, [container(0)]), make);

const typeOf = (path: string): object =>
  path.startsWith(deployments)
    ? { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: path.slice(deployments.length + 1) } }
    : { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: path.slice(configMaps.length + 1) } };

const inTemplate = (containers: readonly object[]): object => ({ spec: { template: { spec: { containers } } } });

function deep(size: number): string {
  return `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`;
}

/** Returns managedFields of `size` elements of all kinds, which several managers own. One is the applier of the requests. */
function managedFields(size: number, version: string): object[] {
  const element = (i: number): string =>
    [`f:k${i}`, `v:"v${i}"`, `k:{"name":"n${i}"}`, `k:{"a":${i},"b":"x"}`][i % 4] ?? '';
  return range(8, i => ({
    manager: i === 0 ? 'stall' : `m${i}`,
    operation: i < 4 ? 'Apply' : 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:data': {
        [`f:${version}`]: {},
        ...entries(size / 8, j => [element(j % 2 === 0 ? j : j + i * size), {}]),
      },
    },
  }));
}

/** Sends managedFields with many elements, and writes the object by all kinds of requests. `size`: the elements. */
const managedFieldsRow: Row = {
  name: 'patches/managed-fields',
  size: 40_000,
  async play(fixture) {
    const { size } = fixture;
    const name = fixture.name();
    const path = `${configMaps}/${name}`;
    const owned = (version: string): object =>
      configMap(name, { data: { k: version }, metadata: { managedFields: managedFields(size, version) } });
    const data = (value: string): object => ({ data: entries(size / 16, i => [`k${i}`, value]) });
    await fixture.must(post(configMaps, owned('a')));
    await fixture.must(put(path, owned('b')));
    await fixture.must(patch('apply', path, { ...typeOf(path), ...data('v') }));
    await fixture.must(patch('merge', path, data('w')));
    await fixture.must(patch('strategic-merge', path, { metadata: { labels: { a: 'b' } } }));
    await fixture.send({
      ...patch('apply', path, { ...typeOf(path), ...data('x') }),
      path: `${path}?fieldManager=kubectl`,
    });
    await fixture.must(remove(path));
  },
};

export const patchRows: readonly Row[] = [
  onMap('json-many', 10_000, (path, size) => [
    patch(
      'json',
      path,
      range(size, i => ({ op: 'add', path: `/data/k${i}`, value: 'v' })),
    ),
  ]),
  onMap('json-too-many', 60_000, (path, size) => [
    patch(
      'json',
      path,
      range(size, i => ({ op: 'add', path: `/data/k${i}`, value: 'v' })),
    ),
  ]),
  onMap('json-doubling', 10_000, (path, size) => [
    patch(
      'json',
      path,
      range(size, i => ({ op: 'copy', from: '/metadata', path: `/metadata/k${i}` })),
    ),
    patch(
      'json',
      path,
      range(Math.min(size, 60), i => ({ op: 'copy', from: '', path: `/k${i}` })),
    ),
  ]),
  onMap('json-copied-large', 2000, (path, size) => [
    patch('json', path, [
      { op: 'add', path: '/data/big', value: 'x'.repeat(500 * size) },
      ...range(size, i => ({ op: 'copy', from: '/data/big', path: `/data/k${i}` })),
    ]),
  ]),
  onMap('json-insert-first', 10_000, (path, size) => [
    patch('json', path, [
      { op: 'add', path: '/metadata/finalizers', value: [] },
      ...range(size, i => ({ op: 'add', path: '/metadata/finalizers/0', value: `example.com/f${i}` })),
    ]),
  ]),
  onMap('json-rotate', 40_000, (path, size) => [
    patch('json', path, [
      { op: 'add', path: '/metadata/finalizers', value: range(size / 4, i => `example.com/f${i}`) },
      ...range(size / 4.2, () => ({ op: 'move', from: '/metadata/finalizers/0', path: '/metadata/finalizers/-' })),
    ]),
  ]),
  onMap('json-test', 10_000, (path, size) => [
    patch('json', path, [
      { op: 'add', path: '/data', value: entries(size * 5, i => [`k${i}`, 'v']) },
      ...range(size / 10, () => ({ op: 'test', path: '/data', value: entries(20, i => [`k${i}`, 'v']) })),
    ]),
  ]),
  onMap('json-test-equal', 200, (path, size) => [
    patch('json', path, [
      { op: 'add', path: '/data', value: entries(1000, i => [`k${i}`, 'v']) },
      ...range(size, () => ({ op: 'test', path: '/data', value: entries(1000, i => [`k${i}`, 'v']) })),
    ]),
  ]),
  onMap('json-long-path', maxBytes, (path, size) => [
    patch('json', path, [{ op: 'add', path: '/a'.repeat(size / 2), value: 1 }]),
    patch('json', path, [{ op: 'add', path: `/${'~1'.repeat(size / 2)}`, value: 1 }]),
  ]),
  onMap('merge-keys', 150_000, (path, size) => [patch('merge', path, { data: entries(size, i => [`k${i}`, 'v']) })]),
  onMap('merge-labels', 150_000, (path, size) => [
    patch('merge', path, { metadata: { labels: entries(size, i => [`k${i}`, 'v']) } }),
  ]),
  onMap('merge-deep', maxBytes, (path, size) => [patch('merge', path, deep(size))]),
  onMap('strategic-deep', maxBytes, (path, size) => [patch('strategic-merge', path, deep(size))]),
  onMap('strategic-directives', 50_000, (path, size) => [
    patch('strategic-merge', path, {
      metadata: { '$setElementOrder/finalizers': range(size, i => `f${i}`), finalizers: range(size, i => `f${i}`) },
    }),
    patch('strategic-merge', path, { metadata: { '$deleteFromPrimitiveList/finalizers': range(size, i => `f${i}`) } }),
  ]),
  onDeployment('strategic-containers', 100_000, (path, size) => [
    patch('strategic-merge', path, inTemplate(range(size, container))),
  ]),
  onDeployment('strategic-order', 50_000, (path, size) => [
    patch('strategic-merge', path, {
      spec: {
        template: {
          spec: {
            '$setElementOrder/containers': range(size, i => ({ name: `c${i}` })),
            containers: range(size, i => ({ name: `c${size - i}`, image: 'i' })),
          },
        },
      },
    }),
  ]),
  onDeployment('merge-containers', 100_000, (path, size) => [patch('merge', path, inTemplate(range(size, container)))]),
  onDeployment('apply-containers', 60_000, (path, size) => [
    patch('apply', path, { ...typeOf(path), ...inTemplate(range(size, container)) }),
  ]),
  onDeployment('apply-environment', 50_000, (path, size) => [
    patch('apply', path, {
      ...typeOf(path),
      ...inTemplate([{ ...container(0), env: range(size, i => ({ name: `E${i}`, value: 'v' })) }]),
    }),
  ]),
  onMap('apply-keys', 45_000, (path, size) => [
    patch('apply', path, { ...typeOf(path), data: entries(size, i => [`k${i}`, 'v']) }),
    patch('apply', path, { ...typeOf(path), data: entries(size, i => [`k${i * 2}`, 'w']) }),
  ]),
  ...[
    onMap('apply-managers', 500, (path, size) =>
      range(size, i => ({
        ...patch('apply', path, { ...typeOf(path), data: { [`k${i}`]: 'v' } }),
        path: `${path}?fieldManager=m${i}&force=true`,
      })),
    ),
  ].map(row => ({ ...row, retainedBytes: 32 << 20 })),
  managedFieldsRow,
  onObject(
    'large-object',
    16_000,
    deployments,
    (own, size) => deployment(own, [{ ...container(0), env: range(size, i => ({ name: `E${i}`, value: 'v' })) }]),
    (path, size) => {
      const env = range(size, i => ({ name: `E${i}`, value: 'w' }));
      return [
        patch('strategic-merge', path, inTemplate([{ name: 'c0', env }])),
        patch('merge', path, { metadata: { labels: { a: 'b' } } }),
        patch('json', path, [{ op: 'add', path: '/metadata/labels', value: { a: 'c' } }]),
        patch('apply', path, { ...typeOf(path), ...inTemplate([{ ...container(0), env }]) }),
        put(path, deployment(path.slice(deployments.length + 1), [{ ...container(0), env: env.toReversed() }])),
      ];
    },
  ),
];
