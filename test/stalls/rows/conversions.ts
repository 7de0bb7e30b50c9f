/** Webhooks that convert custom objects, whose server is hostile. */
import { anything, customKind, definitionsPath, version, whole } from '../../custom-kinds.js';
import type { Reply } from '../../aggregation/webhooks.js';
import type { Row } from '../row.js';
import { entries, get, maxBytes, object, post, range, remove } from './objects.js';

const group = 'conversions.example.com';

const withDefault = { ...anything, properties: { level: { ...whole, default: 1 } } };

interface Request {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Record<string, unknown>[];
}

/** Returns a ConversionReview with these objects. */
const converted = (review: Record<string, unknown>, objects: readonly unknown[]): Reply => ({
  body: {
    apiVersion: review['apiVersion'],
    kind: 'ConversionReview',
    response: { uid: (review['request'] as Request).uid, result: { status: 'Success' }, convertedObjects: objects },
  },
});

interface Variation {
  /** The number of objects. */
  readonly count?: number;
  readonly schema?: object;
  readonly retainedBytes?: number;
}

/** Returns a row whose webhook answers as `answer` does while objects are read, listed and watched in the version that is not stored. */
const converting = (
  name: string,
  size: number,
  answer: (review: Record<string, unknown>, size: number) => Reply,
  { count = 1, schema, retainedBytes = 0 }: Variation = {},
): Row => ({
  name: `conversions/${name}`,
  size,
  retainedBytes,
  async play(fixture) {
    const plural = fixture.name();
    const kind = `K${plural.replaceAll('-', '')}`;
    const { url, caBundle, calls } = await fixture.webhook(review => answer(review, fixture.size));
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] },
    };
    const versions = [version('v1', schema), version('v2', schema, { storage: false })];
    await fixture.must(
      post(definitionsPath, customKind(kind, versions, { group, names: { plural, kind }, conversion })),
    );
    const pathOf = (version: string): string => `/apis/${group}/${version}/namespaces/default/${plural}`;
    for (let status = 404; status === 404;) ({ status } = await fixture.send(get(pathOf('v1'))));
    for (let i = 0; i < count; i++) await fixture.must(post(pathOf('v1'), object(`${group}/v1`, kind, `o${i}`)));
    await fixture.send(get(`${pathOf('v2')}/o0`));
    await fixture.send(get(pathOf('v2')));
    await fixture.send(get(pathOf('v2'), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }));
    const watch = `${pathOf('v2')}?watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`;
    await fixture.send(get(watch));
    await fixture.send(get(watch, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }));
    await fixture.send(post(pathOf('v2'), object(`${group}/v2`, kind, 'new')));
    if (calls.length === 0) throw new Error('the webhook was not called');
    await fixture.must(remove(`${definitionsPath}/${plural}.${group}`));
  },
});

/** Returns a row whose webhook adds these fields to each object. */
const adding = (name: string, size: number, more: (size: number) => object, variation?: Variation): Row =>
  converting(
    name,
    size,
    (review, size) => {
      const { desiredAPIVersion, objects } = review['request'] as Request;
      return converted(
        review,
        objects.map(object => ({ ...object, ...more(size), apiVersion: desiredAPIVersion })),
      );
    },
    variation,
  );

const body = (name: string, size: number, make: (size: number) => string): Row =>
  converting(name, size, (_review, size) => ({ body: make(size) }));

export const conversionRows: readonly Row[] = [
  body('spaces', maxBytes * 5, size => ' '.repeat(size)),
  body('flat', maxBytes * 5, size => `[1${',1'.repeat(size / 2)}]`),
  converting('objects', 90_000, (review, size) =>
    converted(
      review,
      range(size, () => ({})),
    ),
  ),
  adding('items', 24_000, size => ({ spec: { list: range(size, i => ({ i })) } })),
  // The keys are sorted for the client, and for the store. Readers get a default besides. More values than these are refused.
  adding('unsorted', 49_000, size => ({ spec: entries(size, i => [`k${(i * 7919) % 1_000_003}`, 'v']) }), {
    schema: withDefault,
    retainedBytes: 8 << 20,
  }),
  adding('text', maxBytes * 2, size => ({ spec: { text: 'x'.repeat(size) } })),
  adding('many', 400, size => ({ spec: entries(size, i => [`k${i}`, 'v']) }), { count: 200 }),
];
