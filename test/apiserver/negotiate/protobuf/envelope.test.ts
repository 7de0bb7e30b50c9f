import t from 'tap';
import {
  decodeProtobuf,
  encodeProtobuf,
  encodeWatchEvent,
  hasMetadata,
  messageTypeOf,
  protobufInSteps,
} from '../../../../apiserver/negotiate/protobuf/envelope.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { WireError } from '../../../../lib/protobuf/reader.js';
import { nativeSchemaFor } from '../../../../openapi/facts/native-schemas.js';
import { canonical } from '../../../../apimachinery/codec/canonical.js';
import { maxObjectValues, ValueBudget } from '../../../../apimachinery/meta/values.js';
import { encodeMessage, encodeMessageInSteps } from '../../../../apiserver/negotiate/protobuf/message.js';
import { golden } from '../../../data.js';
import { countedSteps } from '../../../counted-steps.js';

interface Input {
  readonly gvk: string;
  readonly json: Record<string, unknown>;
}

const versionOf = (object: unknown): unknown =>
  (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;

/** The recordings differ in a few objects, which controllers changed in between. */
const cases = golden<Input, { protobuf: string }>('protobuf').cases.filter(({ input, output }) => {
  const object = decodeProtobuf(Buffer.from(output.protobuf, 'base64'), { apiVersion: '', kind: '' });
  return (
    versionOf(object) === undefined ||
    versionOf(input.json) === undefined ||
    versionOf(object) === versionOf(input.json)
  );
});

t.test('objects are encoded byte for byte as by kube-apiserver', async t => {
  t.ok(cases.length > 120);
  for (const { name, input, output } of cases)
    t.equal(encodeProtobuf(input.json).toString('base64'), output.protobuf, `${name} ${input.gvk}`);
});

t.test('a message that is written in steps equals the one that is written at once', async t => {
  const same = (object: Record<string, unknown>): number => {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string };
    const typeName = messageTypeOf(apiVersion, kind);
    const { value: result, count } = countedSteps(encodeMessageInSteps(typeName, object));
    t.ok(result.equals(encodeMessage(typeName, object)), `${apiVersion} ${kind}`);
    return count;
  };
  for (const { input } of cases) same(input.json);
  const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const map = (make: (i: number) => unknown): object => Object.fromEntries(many(5000, i => [`k${i}`, make(i)]));
  const large: Record<string, unknown>[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: map(String) }, data: map(String) },
    { apiVersion: 'v1', kind: 'Node', status: { capacity: map(String) } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      spec: { containers: many(3, i => ({ name: `c${i}`, env: many(5000, i => ({ name: `E${i}`, value: 'v' })) })) },
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {},
      spec: {
        versions: [{ name: 'v1', schema: { openAPIV3Schema: { properties: { a: { properties: map(() => ({})) } } } } }],
      },
    },
  ];
  for (const object of large) {
    const steps = same(object);
    t.ok(steps > 150, `${steps} steps`);
  }
});

t.test('objects of kube-apiserver are decoded', async t => {
  for (const { name, input, output } of cases) {
    const object = decodeProtobuf(Buffer.from(output.protobuf, 'base64'), { apiVersion: '', kind: '' });
    const [version = '', group = ''] = input.gvk.split('/').slice(0, -1).reverse();
    const schema = nativeSchemaFor({ group, version, kind: input.gvk.split('/').at(-1) ?? '' });
    t.ok(schema, input.gvk);
    if (schema) t.same(canonical(object, schema).object, canonical(input.json, schema).object, name);
  }
});

t.test('decoded objects are encoded byte for byte as they were', async t => {
  const all = golden<Input, { protobuf: string }>('protobuf').cases;
  t.equal(all.length, 127);
  for (const { name, output } of all) {
    const object = decodeProtobuf(Buffer.from(output.protobuf, 'base64'), { apiVersion: '', kind: '' });
    t.equal(encodeProtobuf(object).toString('base64'), output.protobuf, name);
  }
});

t.test('metadata of any kind', async t => {
  const partial = {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: { name: 'a', labels: { b: 'c' } },
  };
  t.match(decodeProtobuf(encodeProtobuf(partial), { apiVersion: '', kind: '' }), partial);
  const list = { ...partial, kind: 'PartialObjectMetadataList', metadata: { continue: 'x' }, items: [partial] };
  const { apiVersion: _, kind: __, ...item } = partial;
  t.match(decodeProtobuf(encodeProtobuf(list), { apiVersion: '', kind: '' }), { ...list, items: [item] });
});

t.test('invalid protobuf', async t => {
  const expected = { apiVersion: 'v1', kind: 'ConfigMap' };
  t.throws(() => decodeProtobuf(Buffer.from('{}'), expected), { message: /expected prefix \[107 56 115 0\]/ });
  const [first] = cases;
  const whole = Buffer.from(first?.output.protobuf ?? '', 'base64');
  for (let cut = 5; cut < whole.length; cut++) {
    try {
      decodeProtobuf(whole.subarray(0, cut), expected);
    } catch (error) {
      t.match(error, { message: /^(?:unexpected EOF|proto: )/ }, `cut after ${cut} bytes`);
    }
  }
});

t.test('integers of all sizes', async t => {
  for (const generation of [0, 1, 127, 128, 16383, 2 ** 31, 2 ** 53 - 1, -1, -(2 ** 40)]) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generation } };
    t.match(decodeProtobuf(encodeProtobuf(object), object), { metadata: { generation } });
  }
});

t.test('a watch event is preceded by its length', async t => {
  const object = encodeProtobuf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  const event = encodeWatchEvent('ADDED', object);
  t.equal(event.readUInt32BE(0), event.length - 4);
  t.equal(event.indexOf(object), event.length - object.length);
  t.equal(event.toString('latin1', 4, 11), '\n\x05ADDED');
});

t.test('invalid JSON in a field for JSON is reported', async t => {
  const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
  const good = encodeProtobuf({ ...revision, metadata: { name: 'a' }, data: { a: 1 }, revision: 1 });
  const at = good.indexOf('{"a":1}');
  t.ok(at > 0);
  const bad = Buffer.from(good);
  bad.write('x', at + '{"a":1'.length);
  try {
    decodeProtobuf(bad, revision);
    t.fail('it was decoded');
  } catch (error) {
    t.ok(error instanceof WireError, 'an error of the client');
    t.match(error, {
      message: "no JSON stands where JSON belongs: invalid character 'x' after object key:value pair",
    });
  }
});

t.test('fields of metadata are found without decoding it', async t => {
  const fields = ['ownerReferences', 'deletionTimestamp'] as const;
  for (const { name, input, output } of cases) {
    const { metadata } = input.json as { metadata?: Record<string, unknown> };
    const bytes = Buffer.from(output.protobuf, 'base64');
    for (const field of fields) t.equal(hasMetadata(bytes, field), metadata?.[field] !== undefined, `${name} ${field}`);
  }
  const has = (metadata: object) => {
    const bytes = encodeProtobuf({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ownerReferences: 'x' } });
    return fields.map(field => hasMetadata(bytes, field));
  };
  t.same(has({ name: 'a' }), [false, false]);
  t.same(has({ name: 'a', ownerReferences: [] }), [false, false], 'an empty list is omitted');
  t.same(has({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] }), [true, false]);
  t.same(has({ deletionTimestamp: '2026-01-01T00:00:00Z' }), [false, true]);
  const whole = encodeProtobuf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  t.throws(() => hasMetadata(whole.subarray(0, 24), 'ownerReferences'), { message: 'unexpected EOF' });
});

t.test('values of JSON inside of a message count as values of a request, and are not counted in the store', async t => {
  const expected = { apiVersion: 'v1', kind: 'ConfigMap' };
  const fields = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`v:"finalizer-${i}"`, {}]));
  const owned = (count: number): Buffer =>
    encodeProtobuf({
      ...expected,
      metadata: { managedFields: [{ manager: 'm', fieldsV1: { 'f:data': fields(count) } }] },
    });
  const sizeOf = (object: object): number => JSON.stringify(object).split('v:').length - 1;
  t.equal(sizeOf(decodeProtobuf(owned(maxObjectValues - 100), expected, new ValueBudget())), maxObjectValues - 100);
  const large = owned(maxObjectValues);
  t.throws(() => decodeProtobuf(large, expected, new ValueBudget()), { code: 413 });
  t.equal(sizeOf(decodeProtobuf(large, expected)), maxObjectValues);
});

t.test('a long message is read in short steps, and equals the one that is read at once', async t => {
  const text = (length: number): string => 'x'.repeat(length);
  const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']));
  const container = {
    name: 'c',
    image: 'i',
    env: Array.from({ length: 3000 }, (_, i) => ({ name: `e${i}`, value: text(40) })),
  };
  const objects = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels }, data: labels },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [container, { ...container, name: 'd' }] },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'small' } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'one' },
      data: { k: Buffer.from(text(200_000)).toString('base64') },
    },
  ];
  for (const object of objects) {
    const bytes = encodeProtobuf(object);
    const expected = { apiVersion: '', kind: '' };
    const steps = protobufInSteps(bytes, expected, new ValueBudget());
    let count = 1;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    t.strictSame(step.value, decodeProtobuf(bytes, expected), object.kind);
    t.ok(count >= bytes.length / 4000 || bytes.length < 100_000 || object.kind === 'Secret', `${count} steps`);
  }
  const labelled = encodeProtobuf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels } });
  t.throws(() => atOnce(protobufInSteps(labelled.subarray(0, -10), { apiVersion: '', kind: '' }, new ValueBudget())), {
    message: 'unexpected EOF',
  });
});
