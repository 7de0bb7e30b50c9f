/** Large values of another writer, or of an older schema, are decoded in steps, with the same result as at once. */
import t from 'tap';
import type { Schema } from '../../../../apimachinery/codec/interface.js';
import { nativeDefinitions } from '../../../../kinds/kubernetes/native.js';
import { decodeAll, loadedObject } from '../../../../registry/pipeline/stored/loaded.js';
import { layoutOf } from '../../../../registry/pipeline/stored/layout.js';
import { type StoredCodec, storedCodec } from '../../../../registry/pipeline/stored/stored.js';
import type { Revision } from '../../../../storage/interface.js';
import { turnsDuring } from '../../../turns.js';
import { tablePieces, tablePiecesInTurns } from '../../../../apiserver/negotiate/table.js';
import { customPrinter } from '../../../../registry/dynamic/printer.js';

/** Milliseconds of CPU that one turn may take. */
const limit = 50;
const seven = 7 as Revision;

const text: Schema = { type: 'string' };
const mode: Schema = { ...text, default: 'default' };
const inner: Schema = { type: 'object', properties: { value: text, mode } };
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        fields: { type: 'object', additionalProperties: text },
        items: { type: 'array', items: { type: 'object', properties: { name: text, inner, mode } } },
      },
    },
  },
};

/** Returns the codec of a custom resource with one version. */
function codecOf(): StoredCodec {
  const native = nativeDefinitions().find(({ plural }) => plural === 'configmaps');
  if (!native) throw new Error('there are no ConfigMaps');
  const versions = native.versions.map(version => ({ ...version, schema }));
  const wire = { ...native.wire, keys: 'sorted', itemsCarryType: true } as const;
  return storedCodec(layoutOf({ ...native, versions, wire }, { freeze: false }));
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const stored = (spec: unknown): Buffer =>
  Buffer.from(
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u', generation: 1 }, spec }),
  );
const fields = (count: number) => ({
  fields: Object.fromEntries(range(count).map(i => [`field-${i}`, 'value-value'])),
});
const items = (count: number) => ({
  items: range(count / 5).map(i => ({ name: `item-${i}`, inner: { value: 'v'.repeat(70), old: 'x' } })),
  old: 1,
});

t.test('a large value is decoded as at once', async t => {
  for (const bytes of [
    stored(fields(3000)),
    stored(items(3000)),
    Buffer.from(
      stored({ ...fields(3000), last: 0 })
        .toString()
        .replace('"last":0', '"last":9007199254740993'),
    ),
  ]) {
    const codec = codecOf();
    const [once, stepped] = [codec.decode(bytes, '/k', seven), codec.decode(bytes, '/k', seven)];
    t.ok(stepped.isUndecoded);
    await stepped.decoding();
    t.notOk(stepped.isUndecoded);
    t.equal(stepped.json.toString(), once.json.toString());
    t.same(stepped.object, once.object);
    const draft = codec.draft('/k', once.object);
    t.equal(stepped.equals(draft), once.equals(draft), 'a write of the same object');
  }
});

t.test('a small value is decoded at once', async t => {
  const small = codecOf().decode(stored(items(50)), '/k', seven);
  t.notOk(small.isUndecoded);
  t.equal(small.decoding(), undefined);
  t.equal(small.loading(), undefined);
  t.equal(decodeAll([small]), undefined);
});

t.test('readers share the decoding, and one that cannot wait is answered', async t => {
  const value = codecOf().decode(stored(items(40_000)), '/k', seven);
  const decoding = value.decoding();
  t.ok(decoding);
  t.equal(value.decoding(), decoding);
  const { object } = value;
  t.notOk(value.isUndecoded);
  await decoding;
  t.equal(value.object, object, 'the object is not replaced');
});

t.test('bytes that are no object are refused as at once', async t => {
  for (const bytes of [Buffer.from(`["${'x'.repeat(40_000)}"`), Buffer.from(`"${'x'.repeat(40_000)}"`)]) {
    const value = codecOf().decode(bytes, '/k', seven);
    let expected = '';
    try {
      void codecOf().decode(bytes, '/k', seven).json;
    } catch (error) {
      expected = (error as Error).message;
    }
    t.match(expected, 'the value of /k cannot be decoded');
    await t.rejects(value.decoding() ?? Promise.resolve(), { message: expected });
    await t.rejects(Promise.resolve(loadedObject(value)), { message: expected }, 'again');
  }
});

for (const [name, bytes] of [
  ['many fields', stored(fields(40_000))],
  ['many items', stored(items(40_000))],
] as const)
  t.test(`an object with ${name} does not hold the event loop`, async t => {
    const codec = codecOf();
    const decoded = await turnsDuring(limit, async () => codec.decode(bytes, '/k', seven).decoding());
    t.ok(decoded.longest < limit, `decoded: the longest turn takes ${decoded.longest.toFixed(1)} ms`);
    const all = await turnsDuring(limit, async () => decodeAll(range(3).map(() => codec.decode(bytes, '/k', seven))));
    t.ok(all.longest < limit, `a list: the longest turn takes ${all.longest.toFixed(1)} ms`);
    const value = codec.decode(bytes, '/k', seven);
    await value.decoding();
    value.forget();
    const loaded = await turnsDuring(limit, async () => {
      await value.loading();
      value.forget();
    });
    t.ok(loaded.longest < limit, `parsed again: the longest turn takes ${loaded.longest.toFixed(1)} ms`);
    t.equal((await loadedObject(value)).metadata.resourceVersion, '7');
  });

t.test('a Table of large objects that are no longer in memory parses them in steps', async t => {
  const codec = codecOf();
  const values = range(2).map(i => codec.decode(stored(fields(40_000)), `/k${i}`, seven));
  await decodeAll(values);
  const options = { printer: customPrinter(undefined), version: 'v1', include: 'None', now: new Date(0) } as const;
  const made = await turnsDuring(limit, async () => {
    for (const value of values) value.forget();
    await tablePiecesInTurns({}, values, options);
  });
  t.ok(made.longest < limit, `the longest turn takes ${made.longest.toFixed(1)} ms`);
  const once = Buffer.concat([...tablePieces({}, values, options)]).toString();
  t.equal(Buffer.concat(await tablePiecesInTurns({}, values, options)).toString(), once);
});
