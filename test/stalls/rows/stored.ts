/** Large custom objects that were stored before the server started, and by an older schema: their first reader decodes them. */
import { customKind, definitionsPath, object as objectSchema, text, version } from '../../custom-kinds.js';
import type { Fixture, HostileRequest, Row } from '../row.js';
import { asTable, entries, get, object, patch, post, put, range, remove } from './objects.js';

const group = 'stored.example.com';

/** A kind, and what its large object consists of. */
interface Shape {
  readonly kind: string;
  /** The schema of `spec` when the objects are written, and when they are read. */
  readonly before: object;
  readonly after: object;
  readonly spec: (size: number) => unknown;
}

const mode = { ...text, default: 'default' };
const itemSchema = (more: object): object =>
  objectSchema({ name: text, inner: objectSchema({ value: text, ...more }), ...more });

const shapes: readonly Shape[] = [
  {
    kind: 'Fields',
    before: objectSchema({ fields: { type: 'object', additionalProperties: text }, old: text }),
    after: objectSchema({ fields: { type: 'object', additionalProperties: text }, mode }),
    spec: size => ({ old: 'x', fields: entries(size, i => [`field-${i}`, 'value-value']) }),
  },
  {
    kind: 'Items',
    before: objectSchema({ items: { type: 'array', items: itemSchema({ old: text }) } }),
    after: objectSchema({ items: { type: 'array', items: itemSchema({ mode }) } }),
    spec: size => ({
      items: range(size / 5, i => ({ name: `item-${i}`, inner: { value: 'v'.repeat(70), old: 'x' } })),
    }),
  },
];

const pluralOf = ({ kind }: Shape): string => kind.toLowerCase();

/** Each object is read first by one kind of request, in a namespace of its own. */
interface FirstUse {
  readonly name: string;
  readonly request: (collection: string, shape: Shape, resourceVersion: string) => HostileRequest;
}

const initialEvents =
  'watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const labelled = { metadata: { labels: { a: 'b' } } };
const whole = ({ kind }: Shape, spec: unknown, metadata: object = {}): object =>
  object(`${group}/v1`, kind, 'large', { metadata, spec });

const firstUses: readonly FirstUse[] = [
  { name: 'get', request: collection => get(`${collection}/large`) },
  { name: 'get-table', request: collection => get(`${collection}/large`, asTable) },
  { name: 'list', request: collection => get(collection) },
  { name: 'list-table', request: collection => get(collection, asTable) },
  { name: 'watch', request: collection => get(`${collection}?${initialEvents}`) },
  { name: 'merge', request: collection => patch('merge', `${collection}/large`, labelled) },
  {
    name: 'json',
    request: collection => patch('json', `${collection}/large`, [{ op: 'add', path: '/metadata/labels', value: {} }]),
  },
  {
    name: 'apply',
    request: (collection, shape) => patch('apply', `${collection}/large`, whole(shape, {})),
  },
  {
    name: 'put',
    request: (collection, shape, resourceVersion) => put(`${collection}/large`, whole(shape, {}, { resourceVersion })),
  },
  { name: 'delete', request: collection => remove(`${collection}/large`) },
  { name: 'delete-collection', request: collection => remove(collection) },
];

const versionOf = (spec: object): object => version('v1', objectSchema({ spec }));

/** The small objects, which are read before the measurement, are in namespaces of their own. */
const namespaceOf = ({ name }: FirstUse, isSmall: boolean): string => `${isSmall ? 'small' : 'large'}-${name}`;
const collectionOf = (shape: Shape, namespace: string): string =>
  `/apis/${group}/v1/namespaces/${namespace}/${pluralOf(shape)}`;

/** Stores the objects. Returns their resourceVersions by their collections. */
async function store(fixture: Fixture, shape: Shape): Promise<ReadonlyMap<string, string>> {
  const resourceVersions = new Map<string, string>();
  const names = { plural: pluralOf(shape), kind: shape.kind };
  await fixture.must(post(definitionsPath, customKind(shape.kind, [versionOf(shape.before)], { group, names })));
  for (let answer = 404; answer === 404;) answer = (await fixture.send(get(collectionOf(shape, 'default')))).status;
  for (const use of firstUses)
    for (const isSmall of [true, false]) {
      const namespace = namespaceOf(use, isSmall);
      await fixture.send(post('/api/v1/namespaces', object('v1', 'Namespace', namespace)));
      const size = isSmall ? fixture.size / 50 : fixture.size;
      const collection = collectionOf(shape, namespace);
      await fixture.must(post(collection, whole(shape, shape.spec(size))));
      // A Table begins with the resourceVersion of its only object.
      const { text: table } = await fixture.must(get(`${collection}/large`, asTable));
      resourceVersions.set(collection, /"resourceVersion":"([0-9]+)"/.exec(table)?.[1] ?? '');
    }
  const definition = `${definitionsPath}/${pluralOf(shape)}.${group}`;
  await fixture.must(patch('merge', definition, { spec: { versions: [versionOf(shape.after)] } }));
  return resourceVersions;
}

/** Stores objects, each of which is decoded after the restart by another request. */
function stored(shape: Shape): Row {
  let resourceVersions: ReadonlyMap<string, string> = new Map();
  return {
    name: `stored/${pluralOf(shape)}`,
    size: 40_000,
    // The watch history retains the objects that are written, and the cache those that are read.
    retainedBytes: 96 << 20,
    async beforeRestart(fixture) {
      resourceVersions = await store(fixture, shape);
    },
    async play(fixture) {
      for (const use of firstUses) {
        const collection = collectionOf(shape, namespaceOf(use, fixture.warmUp));
        await fixture.must(use.request(collection, shape, resourceVersions.get(collection) ?? ''));
      }
    },
  };
}

export const storedRows: readonly Row[] = shapes.map(stored);
