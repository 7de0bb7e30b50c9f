/** Large custom resources are decoded in steps, with the same result as at once. */
import t from 'tap';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { inTimeSlices } from '../../../lib/time-slice.js';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import { coerceObject, coerceObjectSteps } from '../../../openapi/schema/coerce.js';
import { applyDefaults, applyDefaultsSteps } from '../../../openapi/schema/default.js';
import { turnsDuring } from '../../turns.js';

const options = { objectMeta: nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta') };
/** Milliseconds of CPU that one turn may take; the rule of the server is 50. */
const limit = 50;

const text: Schema = { type: 'string' };
const embedded: Schema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  properties: { spec: { type: 'object', properties: { known: text } } },
};
const item: Schema = {
  type: 'object',
  properties: {
    a: { ...text, default: 'x' },
    n: { ...text, nullable: true },
    o: { type: 'object', default: {}, properties: { deep: { type: 'integer', default: 7 } } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { o: { type: 'object' } } },
    e: embedded,
  },
};
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        list: { type: 'array', items: item },
        map: { type: 'object', additionalProperties: item },
        texts: { type: 'object', additionalProperties: { ...text, default: 'y' } },
        lists: { type: 'array', items: { type: 'array', items: item } },
        free: {
          type: 'array',
          'x-kubernetes-preserve-unknown-fields': true,
          items: { type: 'object', properties: { o: { type: 'object' } } },
        },
      },
    },
  },
};

/** Some values are as their schema says, the others have unknown fields, nulls and metadata with unknown fields. */
const part = (i: number): Record<string, unknown> => ({
  ...(i % 3 === 0 && { a: null }),
  ...(i % 5 === 0 && { n: null, unknown: { k: i } }),
  ...(i % 7 === 0 && { free: { other: { deep: i }, o: { unknown: i } } }),
  ...(i % 11 === 0 && {
    e: { apiVersion: 'v1', kind: 'K', metadata: { name: 'x', wrong: i }, spec: { known: 'v', z: 1 } },
  }),
});

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const large = (count: number): Record<string, unknown> => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', unknown: 1 },
  other: range(count),
  spec: {
    list: range(count).map(part),
    map: Object.fromEntries(range(count).map(i => [`k${i}`, part(i)])),
    texts: Object.fromEntries(range(count).map(i => [`k${i}`, i % 4 === 0 ? null : 'v'])),
    lists: range(3).map(() => range(count).map(part)),
    free: range(count).map(i => ({ u: i, o: { unknown: i } })),
    ...Object.fromEntries(range(count).map(i => [`unknown-${i}`, i])),
  },
});

t.test('the result is the same as at once', async t => {
  for (const count of [1, 40, 1500]) {
    const [once, stepped] = [large(count), large(count)];
    t.same(await inTimeSlices(coerceObjectSteps(stepped, schema, options)), coerceObject(once, schema, options));
    t.equal(JSON.stringify(stepped), JSON.stringify(once), `${count}: pruned`);
    t.equal(await inTimeSlices(applyDefaultsSteps(stepped, schema)), applyDefaults(once, schema));
    t.equal(JSON.stringify(stepped), JSON.stringify(once), `${count}: with defaults`);
  }
});

t.test('defaults end at the limit, in the order of the object', async t => {
  const wide: Schema = { ...item, properties: { ...item.properties, more: { type: 'array', default: range(100) } } };
  const lists: Schema = { type: 'object', properties: { list: { type: 'array', items: wide } } };
  const [once, stepped] = [{ list: range(1200).map(part) }, { list: range(1200).map(part) }];
  t.equal(applyDefaults(once, lists), undefined);
  t.equal(await inTimeSlices(applyDefaultsSteps(stepped, lists)), undefined);
  t.same(stepped, once);
});

t.test('the first error is the same as at once', async t => {
  const broken = large(1500);
  const items = (broken['spec'] as { list: Record<string, unknown>[] }).list;
  for (const i of [700, 1400]) items[i] = { e: { apiVersion: i, kind: 'K' } };
  const copy = cloneJson(broken);
  let expected: unknown;
  try {
    coerceObject(broken, schema, options);
  } catch (error) {
    expected = error;
  }
  t.type(expected, DecodeError);
  await t.rejects(
    Promise.resolve().then(() => inTimeSlices(coerceObjectSteps(copy, schema, options))),
    {
      message: (expected as DecodeError).message,
    },
  );
});

t.test('a large object does not hold the event loop', async t => {
  const decoded = await turnsDuring(limit, async () => {
    const object = large(6000);
    await inTimeSlices(coerceObjectSteps(object, schema, options));
    await inTimeSlices(applyDefaultsSteps(object, schema));
  });
  t.ok(decoded.longest < limit, `the longest turn takes ${decoded.longest.toFixed(1)} ms`);
});
