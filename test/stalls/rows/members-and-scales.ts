/** Patches of lists that are merged, and writes of the scale of large objects. The server must accept all of them. */
import { customKind, definitionsPath, object as objectSchema, text, version, whole } from '../../custom-kinds.js';
import type { Fixture, HostileRequest, Row } from '../row.js';
import {
  configMap,
  configMaps,
  container,
  deployment,
  deployments,
  entries,
  get,
  object,
  patch,
  post,
  put,
  range,
  remove,
} from './objects.js';

/** Returns the numbers below `count` in an order that is neither ascending nor descending. */
const shuffled = (count: number): number[] => range(count, i => (i * 7919) % Math.floor(count));

interface Accepted {
  readonly collection: string;
  readonly create: (name: string, size: number) => object;
  readonly requests: (path: string, size: number) => readonly HostileRequest[];
}

const send = async (fixture: Fixture, { collection, create, requests }: Accepted): Promise<void> => {
  const name = fixture.name();
  await fixture.must(post(collection, create(name, fixture.size)));
  for (const request of requests(`${collection}/${name}`, fixture.size)) await fixture.must(request);
  await fixture.must(remove(`${collection}/${name}`));
};

const accepted = (name: string, size: number, row: Accepted): Row => ({
  name,
  size,
  // The watch history retains the written objects.
  retainedBytes: 64 << 20,
  play: fixture => send(fixture, row),
});

const secretsOf = (numbers: readonly number[], more: object = {}): { readonly secrets: readonly object[] } => ({
  secrets: numbers.map(i => ({ name: `s${i}`, ...more })),
});
const finalizersOf = (numbers: readonly number[]): string[] => numbers.map(i => `example.com/f${i}`);

const memberRows: readonly Row[] = [
  accepted('patches/strategic-members', 24_000, {
    collection: '/api/v1/namespaces/default/serviceaccounts',
    create: (name, size) => object('v1', 'ServiceAccount', name, secretsOf(range(size, i => i))),
    requests: (path, size) => [
      patch('strategic-merge', path, secretsOf(shuffled(size))),
      patch('strategic-merge', path, secretsOf(range(size / 2, i => i + size / 2))),
      patch('strategic-merge', path, { '$setElementOrder/secrets': secretsOf(shuffled(size).toReversed()).secrets }),
      patch('strategic-merge', path, secretsOf(shuffled(size / 2), { $patch: 'delete' })),
    ],
  }),
  accepted('patches/strategic-scalars', 45_000, {
    collection: configMaps,
    create: (name, size) => configMap(name, { metadata: { finalizers: finalizersOf(range(size, i => i)) } }),
    requests: (path, size) => [
      patch('strategic-merge', path, { metadata: { finalizers: finalizersOf(shuffled(size)) } }),
      patch('strategic-merge', path, {
        metadata: { '$deleteFromPrimitiveList/finalizers': finalizersOf(shuffled(size)) },
      }),
    ],
  }),
  accepted('patches/strategic-keys', 45_000, {
    collection: configMaps,
    create: (name, size) => configMap(name, { data: entries(size, i => [`k${i}`, 'v']) }),
    requests: (path, size) => [
      patch('strategic-merge', path, { data: { k1: 'w' } }),
      patch('strategic-merge', path, { data: entries(size, i => [`k${i}`, 'w']) }),
      patch('strategic-merge', path, { data: { $retainKeys: range(size / 2, i => `k${i}`) } }),
    ],
  }),
];

const labelled = { metadata: { labels: { a: 'b' } } };

/** Objects whose change is compared with the stored one, member by member. */
const changeRows: readonly Row[] = [
  accepted('patches/csi-drivers', 12_000, {
    collection: '/apis/storage.k8s.io/v1/csinodes',
    create: (name, size) =>
      object('storage.k8s.io/v1', 'CSINode', name, {
        spec: { drivers: range(size, i => ({ name: `d${i}.example.com`, nodeID: `n${i}`, topologyKeys: null })) },
      }),
    requests: path => [patch('merge', path, labelled)],
  }),
  accepted('patches/binary', 45_000, {
    collection: configMaps,
    create: (name, size) => configMap(name, { binaryData: entries(size, i => [`k${i}`, 'YQ==']) }),
    requests: path => [patch('merge', path, labelled)],
  }),
];

const replicasOf = (replicas: number, more: object = {}): object => ({ spec: { replicas }, ...more });

/** Writes the scale of an object at this path by all kinds of requests, of which some are large themselves. */
function scaled(path: string, size: number): readonly HostileRequest[] {
  const scale = `${path}/scale`;
  const of = (replicas: number, more: object = {}): object =>
    object('autoscaling/v1', 'Scale', path.slice(path.lastIndexOf('/') + 1), replicasOf(replicas, more));
  const many = entries(size, i => [`k${i}`, 'v']);
  return [
    get(scale),
    patch('merge', scale, replicasOf(2)),
    patch('merge', scale, replicasOf(3, { more: many })),
    patch('merge', scale, { metadata: { annotations: entries(size / 4, i => [`k${i}`, 'v']) } }),
    patch('json', scale, [
      { op: 'add', path: '/more', value: many },
      { op: 'replace', path: '/spec/replicas', value: 4 },
    ]),
    patch('apply', scale, of(5)),
    put(scale, of(6)),
    put(scale, of(7, { more: many })),
  ];
}

const group = 'scales.example.com';
const fields = { type: 'object', additionalProperties: text };
const scalable = version('v1', objectSchema({ spec: objectSchema({ replicas: whole, fields }), status: fields }), {
  subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
});

const scaleRows: readonly Row[] = [
  accepted('patches/scale', 12_000, {
    collection: deployments,
    create: (name, size) =>
      deployment(name, [{ ...container(0), env: range(size, i => ({ name: `E${i}`, value: 'v' })) }]),
    requests: (path, size) => scaled(path, size * 3),
  }),
  {
    name: 'custom/scale',
    size: 40_000,
    retainedBytes: 64 << 20,
    async play(fixture) {
      const plural = fixture.name();
      const kind = `K${plural.replaceAll('-', '')}`;
      await fixture.must(post(definitionsPath, customKind(kind, [scalable], { group, names: { plural, kind } })));
      const collection = `/apis/${group}/v1/namespaces/default/${plural}`;
      for (let answer = 404; answer === 404;) answer = (await fixture.send(get(collection))).status;
      await send(fixture, {
        collection,
        create: (name, size) =>
          object(`${group}/v1`, kind, name, { spec: { replicas: 1, fields: entries(size, i => [`f${i}`, 'v']) } }),
        requests: scaled,
      });
      await fixture.must(remove(`${definitionsPath}/${plural}.${group}`));
    },
  },
];

export const memberAndScaleRows: readonly Row[] = [...memberRows, ...changeRows, ...scaleRows];
