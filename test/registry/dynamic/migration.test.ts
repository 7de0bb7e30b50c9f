/** Changes of the storage version while objects are stored in the old one, without a conversion webhook. */
import t from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import type { LiveCatalogue } from '../../../registry/catalogue/catalogue.js';
import type { Client } from '../../../client/interface.js';
import { refusal, serve } from '../serve.js';
import { crds, define, definition, version, widget, widgets } from './definitions.js';

const a = { namespace: 'default', name: 'a' };
const in1 = widgets;
const in2: GroupVersionResource = { ...widgets, version: 'v2' };

const text = (more: object = {}) => ({ type: 'string', ...more });
const schemaOf = (properties: object) => ({ openAPIV3Schema: { type: 'object', properties } });
const schema1 = schemaOf({ old: text(), both: text({ default: 'both1' }), first: text({ default: 'first1' }) });
const schema2 = schemaOf({ young: text(), both: text({ default: 'both2' }), second: text({ default: 'second2' }) });

const stored = (storage: string, one: object = schema1, two: object = schema2): KubeObject =>
  definition({
    versions: [
      version('v1', { schema: one, storage: storage === 'v1' }),
      version('v2', { schema: two, storage: storage === 'v2' }),
    ],
  });

/** Waits until the server serves the current CRD. */
async function redefine(client: Client, catalogue: LiveCatalogue, next: KubeObject): Promise<void> {
  const before = catalogue.find(in1);
  const changed = new Promise<void>(resolve => {
    const stop = catalogue.onChange(() => {
      if (catalogue.find(in1) === before) return;
      stop();
      resolve();
    });
  });
  const crd = await client.get(crds, { name: 'widgets.example.com' });
  await client.update(crds, { ...crd, spec: next.spec });
  await changed;
}

const fieldsOf = ({ apiVersion, kind, metadata, ...fields }: KubeObject): unknown => {
  void [apiVersion, kind, metadata];
  return fields;
};
const versionOf = ({ metadata }: KubeObject): string => metadata.resourceVersion ?? '';

t.test('an object is read with the schema of its stored version', async t => {
  const { client, catalogue } = await serve(t);
  await define(client, stored('v1'));
  const made = await client.create(in1, widget('a', { old: 'x' }));
  t.same(fieldsOf(made), { both: 'both1', first: 'first1', old: 'x' });
  t.same(fieldsOf(await client.get(in2, a)), { both: 'both1' }, 'a converted object is pruned, and not defaulted');

  await redefine(client, catalogue, stored('v2'));
  t.same(fieldsOf(await client.get(in1, a)), { both: 'both1', first: 'first1', old: 'x' }, 'by its own version');
  t.same(
    fieldsOf(await client.get(in2, a)),
    { both: 'both1' },
    'and not with the defaults of the current storage version',
  );
  t.same((await client.list(in1)).items.map(fieldsOf), [{ both: 'both1', first: 'first1', old: 'x' }]);
  t.same((await client.list(in2)).items.map(fieldsOf), [{ both: 'both1' }]);
  const watch = client.watch(
    in1,
    { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
    AbortSignal.timeout(60_000),
  );
  for await (const { object } of watch) {
    t.same(fieldsOf(object), { both: 'both1', first: 'first1', old: 'x' });
    break;
  }
  t.equal(versionOf(await client.get(in1, a)), versionOf(made), 'reading changes nothing');
});

t.test('a write that changes nothing moves an object to the storage version', async t => {
  const { client, catalogue } = await serve(t);
  const plain = schemaOf({ old: text(), both: text({ default: 'both1' }) });
  await define(client, stored('v1', plain));
  const made = await client.create(in1, widget('a', { old: 'x' }));
  await redefine(client, catalogue, stored('v2', plain));

  const moved = await client.update(in1, made);
  t.not(versionOf(moved), versionOf(made), 'it is stored again');
  t.same(fieldsOf(moved), { both: 'both1' }, 'without fields unknown to the storage version');
  t.same(fieldsOf(await client.get(in2, a)), { both: 'both1', second: 'second2' }, 'it is one of v2 now');
  t.equal(moved.metadata.generation, made.metadata.generation);

  const again = await client.update(in1, { ...moved });
  const noop = await client.patch(in1, a, { type: 'merge', patch: {} });
  t.equal(versionOf(again), versionOf(moved), 'once');
  t.equal(versionOf(noop), versionOf(moved));

  const completed = await client.patch(in2, a, { type: 'merge', patch: {} });
  t.not(versionOf(completed), versionOf(noop), 'a default that was only applied on read is stored');
  const last = await client.patch(in2, a, { type: 'merge', patch: {} });
  t.equal(versionOf(last), versionOf(completed));
});

t.test('objects of versions that differ only in apiVersion are migrated, too', async t => {
  const { client, catalogue } = await serve(t);
  await define(client, stored('v1', schema1, schema1));
  const made = await client.create(in1, widget('a', { old: 'x' }));
  await redefine(client, catalogue, stored('v2', schema1, schema1));
  const read = await client.get(in2, a);
  t.same(fieldsOf(read), fieldsOf(made));
  t.equal(versionOf(read), versionOf(made));
  const moved = await client.update(in2, read);
  t.not(versionOf(moved), versionOf(read));
  t.equal(versionOf(await client.update(in2, moved)), versionOf(moved));
});

t.test('a new default is applied on read, and stored with the next write', async t => {
  const { client, catalogue } = await serve(t);
  await define(client, stored('v1', schemaOf({ old: text() })));
  const made = await client.create(in1, widget('a', { old: 'x' }));
  await redefine(client, catalogue, stored('v1'));
  const read = await client.get(in1, a);
  t.same(fieldsOf(read), { both: 'both1', first: 'first1', old: 'x' });
  t.equal(versionOf(read), versionOf(made));
  const written = await client.update(in1, read);
  t.not(versionOf(written), versionOf(read));
  t.equal(versionOf(await client.update(in1, written)), versionOf(written));
});

t.test('an object is validated with the version of the request', async t => {
  const { client, catalogue } = await serve(t);
  const rules = (name: string) => ({
    openAPIV3Schema: {
      type: 'object',
      properties: { old: text(), young: text() },
      'x-kubernetes-validations': [{ rule: "!has(self.young) || self.young != 'no'", message: `not in ${name}` }],
    },
  });
  await define(client, stored('v1', rules('v1'), rules('v2')));
  const bad = (apiVersion: string): KubeObject => widget('a', { young: 'no' }, apiVersion);
  for (const storage of ['v1', 'v2']) {
    if (storage === 'v2') await redefine(client, catalogue, stored('v2', rules('v1'), rules('v2')));
    t.match(await refusal(client.create(in1, bad('example.com/v1'))), 'not in v1');
    t.match(await refusal(client.create(in2, bad('example.com/v2'))), 'not in v2');
  }
});

t.test('a dry run returns what would be read', async t => {
  const { client } = await serve(t);
  await define(client, stored('v1'));
  const object = widget('a', { young: 'y' }, 'example.com/v2');
  const dry = await client.create(in2, object, { dryRun: true });
  const wet = await client.create(in2, object);
  t.same(fieldsOf(dry), fieldsOf(wet));
  t.same(fieldsOf(wet), { both: 'both2' }, 'v1 has neither young nor second');
  t.same(fieldsOf(await client.get(in1, a)), { both: 'both2', first: 'first1' });
});
