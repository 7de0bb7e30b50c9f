import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { sortedCopy, sortedCopySteps } from '../../../../registry/pipeline/stored/sorted-copy.js';
import { type InSteps, atOnce, inTimeSlices } from '../../../../lib/time-slice.js';
import type { Layout } from '../../../../registry/pipeline/stored/interface.js';
import { storedCodec } from '../../../../registry/pipeline/stored/stored.js';
import type { Revision } from '../../../../storage/interface.js';
import { configMapLayout } from './config-map-layout.js';

const sorted: Layout = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  keys: 'sorted',
  itemsCarryType: true,
  canonicalSteps: object => sortedCopySteps(object) as InSteps<KubeObject>,
  parse: bytes => JSON.parse(bytes.toString()) as KubeObject,
  normalize: object => ({ ...object, apiVersion: 'example.com/v1' }),
  freeze: true,
};

const configMap = (value: string): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z', annotations: { 'x"uid":"': value } },
  data: { k: '"uid":"u-1"', n: value },
});
const widget = (value: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  alpha: { uid: 'u-2', text: '"uid":"u-2"}' },
  metadata: {
    uid: 'u-2',
    name: 'a',
    labels: { é: value },
    ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'o', uid: 'u-2' }],
  },
  zeta: [{ metadata: { uid: 'u-2' } }],
});

const revision = (n: number): Revision => n as Revision;

t.test('the bytes are those of the object with its resourceVersion', t => {
  const cases = [
    {
      name: 'declared',
      layout: configMapLayout,
      object: configMap('ü'),
      json: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","uid":"u-1","resourceVersion":"7","creationTimestamp":"2026-01-01T00:00:00Z","annotations":{"x\\"uid\\":\\"":"ü"}},"data":{"k":"\\"uid\\":\\"u-1\\"","n":"ü"}}',
      typeLength: '"kind":"ConfigMap","apiVersion":"v1",'.length,
    },
    {
      name: 'sorted',
      layout: sorted,
      object: widget('ü'),
      json: '{"alpha":{"text":"\\"uid\\":\\"u-2\\"}","uid":"u-2"},"apiVersion":"example.com/v1","kind":"Widget","metadata":{"labels":{"é":"ü"},"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"A","name":"o","uid":"u-2"}],"resourceVersion":"7","uid":"u-2"},"zeta":[{"metadata":{"uid":"u-2"}}]}',
      typeLength: 0,
    },
  ];
  for (const { name, layout, object, json, typeLength } of cases) {
    const codec = storedCodec(layout);
    const draft = codec.draft('/k', object);
    const adopted = codec.adopt(draft, '/k', revision(7));
    const decoded = codec.decode(Buffer.from(draft.json), '/k', revision(7));
    for (const [how, stored] of [
      ['written', adopted],
      ['read back', decoded],
    ] as const) {
      t.equal(stored.json.toString(), json, `${name}, ${how}: bytes`);
      t.equal(stored.typeLength, typeLength, `${name}, ${how}: type`);
      t.equal(JSON.stringify(stored.object), json, `${name}, ${how}: object, fields in order`);
      t.ok(Object.isFrozen(stored.object.metadata), `${name}, ${how}: frozen`);
    }
    t.equal(draft.object, adopted.object, 'the object of the writer is not parsed again');
    const later = decoded.at(revision(1234));
    t.equal(later.json.toString(), json.replace('"resourceVersion":"7"', '"resourceVersion":"1234"'), `${name}: later`);
  }
  t.end();
});

t.test('readers get the defaults of a draft that are not stored', t => {
  const codec = storedCodec({
    ...sorted,
    *completeSteps(object) {
      yield;
      return { ...object, beta: 'default' };
    },
  });
  const bytes = codec.draft('/k', widget('a')).json;
  for (const incomplete of [false, true]) {
    const draft = codec.draft('/k', widget('a'), incomplete);
    t.same(codec.encode(draft), bytes, 'they are not stored');
    const stored = codec.adopt(draft, '/k', revision(7));
    t.equal(stored.object['beta'], incomplete ? 'default' : undefined);
    t.equal(stored.json.includes('"beta":"default"'), incomplete);
    t.ok(stored.equals(codec.draft('/k', widget('a'), incomplete)), 'the same draft is no change');
    t.equal(stored.equals(codec.draft('/k', { ...widget('a'), beta: 'default' })), false);
    t.same(codec.restorable?.(stored)?.restore(), bytes);
  }
  t.end();
});

t.test('a large object is copied in steps, as a small one', async t => {
  const many = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, i) => [`k${(i * 7919) % 100_003}`, i]));
  for (const value of [
    { b: many(5000), a: [many(2000), undefined, 1], c: undefined },
    Array.from({ length: 5000 }, (_, i) => ({ b: i, a: undefined })),
    { spec: JSON.parse('{"__proto__":1,"a":2}') as object, more: many(3000) },
  ]) {
    const steps = sortedCopySteps(value);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    t.equal(JSON.stringify(step.value), JSON.stringify(sortedCopy(value)));
    t.ok(count > 50, `${count} steps`);
    const options = { shareCanonical: true };
    t.equal(
      await inTimeSlices(sortedCopySteps(step.value, options)),
      sortedCopy(step.value, options),
      'the copy is in order already',
    );
  }
});

t.test('an object that is copied at once is not divided', t => {
  let looks = 0;
  const counted = (value: object): object =>
    new Proxy(value, {
      ownKeys(target) {
        looks++;
        return Reflect.ownKeys(target);
      },
    });
  const value = counted({ b: counted({ d: 1, c: 2 }), a: 3 });
  t.equal(JSON.stringify(atOnce(sortedCopySteps(value))), '{"a":3,"b":{"c":2,"d":1}}');
  t.equal(looks, 2, 'one look at each object: its size is not looked at before');
  t.end();
});

t.test('an identical write is detected by the bytes', t => {
  for (const [layout, make] of [
    [configMapLayout, configMap],
    [sorted, widget],
  ] as const) {
    const codec = storedCodec(layout);
    const stored = codec.adopt(codec.draft('/k', make('a')), '/k', revision(7));
    t.equal(
      stored.equals(codec.draft('/k', { ...make('a'), metadata: { ...make('a').metadata, resourceVersion: '7' } })),
      true,
    );
    t.equal(stored.equals(codec.draft('/k', make('b'))), false);
  }
  t.end();
});

t.test('a value from the store can be probed and parsed before its bytes are needed', t => {
  const codec = storedCodec(configMapLayout);
  const draft = codec.draft('/k', configMap('ü'));
  const read = () => codec.decode(Buffer.from(draft.json), '/k', revision(7));
  const adopted = codec.adopt(codec.draft('/k', configMap('ü')), '/k', revision(7));
  const stored = read();
  t.equal(stored.mightContain?.({ metadata: 'deletionTimestamp' }), false);
  t.equal(stored.mightContain?.({ text: 'ü' }), true);
  t.equal(stored.mightContain?.({ text: 'ö' }), false);
  t.equal(JSON.stringify(stored.object), adopted.json.toString(), 'the object, fields in order');
  t.ok(stored.equals(draft));
  t.notOk(stored.equals(codec.draft('/k', configMap('u'))));
  t.same(codec.restorable?.(stored)?.restore(), draft.json);
  t.equal(read().at(revision(8)).object.metadata.resourceVersion, '8');
  t.ok(stored.json.equals(adopted.json), 'then the bytes');
  t.ok(stored.equals(draft));
  t.same(codec.restorable?.(stored)?.restore(), draft.json, 'and the stored bytes again');
  t.equal(
    codec.decode(Buffer.from('{}'), '/k', revision(7)).mightContain?.({ text: 'x' }),
    true,
    'values of other servers may have any property',
  );
  t.end();
});

t.test('labels are read without the rest of the object', t => {
  let parsed = 0;
  const counting: Layout = {
    ...sorted,
    keepsMetadata: bytes => !bytes.includes('protobuf'),
    parse(bytes) {
      parsed++;
      return sorted.parse(bytes);
    },
  };
  const foreign = (bytes: string) => storedCodec(counting).decode(Buffer.from(bytes), '/k', revision(7));
  const draft = storedCodec(counting).draft('/k', widget('\u00fc"}'));
  t.same(foreign(draft.json.toString()).labels, { é: '\u00fc"}' }, 'of another writer');
  t.same(foreign('{"spec":{"metadata":{"labels":{"a":"x"}}}, "metadata": {"labels" :null}}').labels, {});
  t.equal(parsed, 0);
  t.same(foreign('{"protobuf":1,"metadata":{"labels":{"a":"b"}}}').labels, { a: 'b' }, 'not JSON');
  t.same(foreign('{"metadata":{"name":"a"}}').labels, {}, 'without labels');
  t.equal(parsed, 2);
  const raw = { ...configMap('a'), metadata: { ...configMap('a').metadata, labels: { a: '\u00fc' } } };
  const codec = storedCodec(configMapLayout);
  const version = codec.decode(Buffer.from(codec.draft('/k', raw).json), '/k', revision(7));
  t.same(version.labels, { a: '\u00fc' }, 'as stored');
  t.equal(version.inMemory, undefined);
  t.same(version.at(revision(8)).labels, { a: '\u00fc' });
  t.end();
});

t.test('owners and deletion are read without the rest of the object', t => {
  let parsed = 0;
  const counting: Layout = {
    ...sorted,
    keepsMetadata: bytes => !bytes.includes('protobuf'),
    parse(bytes) {
      parsed++;
      return sorted.parse(bytes);
    },
  };
  const foreign = (bytes: string) => storedCodec(counting).decode(Buffer.from(bytes), '/k', revision(7));
  const deleted = {
    ...{ uid: 'u', finalizers: ['é'], deletionTimestamp: '2026-01-01T00:00:00Z' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'ö', uid: 'o', blockOwnerDeletion: true }],
  };
  const managedFields = [{ fieldsV1: { 'f:metadata': { 'f:finalizers': {} } } }];
  const text = JSON.stringify({ metadata: { name: 'a', managedFields, ...deleted }, uid: 'x' });
  t.same(foreign(text).ownerMeta, deleted, 'of another writer');
  t.same(foreign('{"metadata":{"finalizers":null,"uid":"u"}}').ownerMeta, { uid: 'u' });
  t.same(foreign('{"spec":{}}').ownerMeta, {});
  t.equal(parsed, 0);
  t.match(foreign('{"protobuf":1,"metadata":{"uid":"u"}}').ownerMeta, { uid: 'u' }, 'not JSON');
  t.equal(parsed, 1);
  const codec = storedCodec(configMapLayout);
  const object = { ...configMap('a'), metadata: { ...configMap('a').metadata, ...deleted } };
  const version = codec.decode(Buffer.from(codec.draft('/k', object).json), '/k', revision(7));
  t.same(version.ownerMeta, deleted, 'as stored');
  t.equal(version.inMemory, undefined);
  t.match(version.at(revision(8)).ownerMeta, deleted);
  t.end();
});

t.test('values of other servers are decoded and encoded in canonical form', t => {
  const codec = storedCodec(sorted);
  const foreign = Buffer.from('{"kind":"Widget","metadata":{"uid":"u","name":"a"},"apiVersion":"example.com/v0"}');
  const stored = codec.decode(foreign, '/k', revision(9));
  t.equal(
    stored.json.toString(),
    '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","resourceVersion":"9","uid":"u"}}',
  );
  t.end();
});

t.test('stored bytes in canonical form can be encoded again', t => {
  for (const [layout, object] of [
    [configMapLayout, configMap('ü')],
    [sorted, widget('ü')],
  ] as const) {
    const codec = storedCodec(layout);
    const draft = codec.draft('/k', object);
    const bytes = Buffer.from(codec.encode(draft));
    const adopted = codec.adopt(draft, '/k', revision(7));
    t.same(codec.restorable?.(adopted)?.restore(), bytes, 'written');
    void adopted.object;
    t.same(codec.restorable?.(adopted)?.restore(), bytes, 'and parsed');
  }
  const codec = storedCodec(configMapLayout);
  const bytes = Buffer.from(codec.encode(codec.draft('/k', configMap('v'))));
  t.same(codec.restorable?.(codec.decode(bytes, '/k', revision(8)))?.restore(), bytes, 'read');
  t.end();
});

t.test('bytes of other servers, and of custom resources from before the start, are in memory once', t => {
  const codec = storedCodec(sorted);
  const canonical = Buffer.from(codec.encode(codec.draft('/k', widget('ü'))));
  const foreign = Buffer.from('{"kind":"Widget","metadata":{"uid":"u","name":"a"},"apiVersion":"example.com/v0"}');
  for (const bytes of [canonical, foreign]) {
    const version = codec.decode(bytes, '/k', revision(9));
    const holder = codec.restorable?.(version);
    t.same(holder?.restore(), bytes, 'not read yet');
    const { length } = version.json;
    t.same(holder?.restore(), bytes, 'read');
    t.equal(version.heldBytes, bytes === canonical ? length : length + bytes.length, 'bytes in another form are kept');
    t.match(version.at(revision(10)).json.toString(), '"resourceVersion":"10"');
    version.replaceBy(codec.adopt(codec.draft('/k', widget('y')), '/k', revision(11)));
    t.same(holder?.restore(), bytes, 'replaced');
    const early = codec.decode(bytes, '/k', revision(9));
    void early.object;
    t.same(codec.restorable?.(early)?.restore(), bytes === canonical ? bytes : undefined, 'read by the backend only');
  }
  t.end();
});

t.test('replaced versions are kept as differences to newer ones, and restored', t => {
  for (const [layout, make] of [
    [configMapLayout, configMap],
    [sorted, widget],
  ] as const) {
    const codec = storedCodec(layout);
    const long = 'ü'.repeat(2000);
    const versions = Array.from({ length: 40 }, (_, n) => {
      const draft = codec.draft('/k', { ...make(`${n}`), text: `${long}${n}` });
      return n % 3 === 0 && layout === configMapLayout
        ? codec.decode(Buffer.from(codec.encode(draft)), '/k', revision(90 + n))
        : codec.adopt(draft, '/k', revision(90 + n));
    });
    const looks = versions.map(version => ({
      json: version.at(version.revision).json.toString(),
      restored: codec.restorable?.(version)?.restore(),
    }));
    for (const [n, newer] of versions.slice(1).entries()) versions[n]?.replaceBy(newer);
    const bytes = versions.reduce((sum, version) => sum + version.heldBytes, 0);
    t.ok(bytes < versions.length * 1000, `${bytes} bytes of ${versions.length} versions of 4 kB each`);
    for (const [n, version] of versions.entries()) {
      const look = looks[n];
      t.equal(version.json.toString(), look?.json);
      t.same(version.object, JSON.parse(look?.json ?? ''));
      t.same(codec.restorable?.(version)?.restore(), look?.restored, 'the stored bytes, too');
      t.equal(version.at(revision(7)).object.metadata.resourceVersion, '7');
      t.equal(
        version.mightContain({ text: 'never' }),
        n < versions.length - 1 && version.heldBytes < 1000,
        'these cannot be probed',
      );
    }
  }
  t.end();
});

t.test('a value that was never read is not parsed when it is replaced', t => {
  const codec = storedCodec(sorted);
  const foreign = (value: string) =>
    Buffer.from(
      `{"kind":"Widget","metadata":{"uid":"u","name":"${value.repeat(2000)}"},"apiVersion":"example.com/v0"}`,
    );
  const [first, second] = ['a', 'a'].map((value, n) => codec.decode(foreign(value), '/k', revision(n + 1)));
  if (!first || !second) throw new Error('there are two');
  const size = first.heldBytes;
  first.replaceBy(second);
  t.equal(first.heldBytes, size);
  t.equal(first.object.metadata.resourceVersion, '1');
  t.equal(second.object.metadata.resourceVersion, '2');
  t.end();
});

t.test('the generation of a version is known without parsing the object, after it was replaced, too', t => {
  for (const [layout, make] of [
    [configMapLayout, configMap],
    [sorted, widget],
  ] as const) {
    let reads = 0;
    const read = (text: string): KubeObject => (reads++, JSON.parse(text) as KubeObject);
    const codec = storedCodec({ ...layout, read, keepsMetadata: () => true });
    const of = (generation: number | undefined) => {
      const { metadata, ...rest } = make('x');
      const draft = codec.draft('/k', { ...rest, metadata: { ...metadata, ...(generation && { generation }) } });
      const text = Buffer.from(codec.encode(draft));
      return [codec.adopt(draft, '/k', revision(7)), codec.decode(text, '/k', revision(7))] as const;
    };
    for (const generation of [3, undefined])
      for (const version of of(generation)) {
        t.equal(version.generation, generation ?? 0);
        version.replaceBy(of(4)[0]);
        t.equal(version.generation, generation ?? 0, 'replaced');
      }
    const [, unread] = of(5);
    void unread.json;
    unread.replaceBy(of(6)[0]);
    t.equal(unread.generation, 5, 'asked for the first time when it was replaced');
    t.equal(reads, 0, 'none was parsed');
  }
  t.end();
});

t.test('the parsed objects of a few replaced versions stay in reach of informers, those of earlier ones do not', t => {
  const codec = storedCodec(sorted);
  const versions = Array.from({ length: 100 }, (_, n) =>
    codec.adopt(codec.draft('/k', widget(`${n}`)), '/k', revision(n + 1)),
  );
  const objects = versions.map(({ object }) => object);
  for (const [n, newer] of versions.slice(1).entries()) versions[n]?.replaceBy(newer);
  t.equal(versions[98]?.inMemory, objects[98], 'it is not parsed again');
  t.equal(versions[0]?.inMemory, undefined);
  t.end();
});
