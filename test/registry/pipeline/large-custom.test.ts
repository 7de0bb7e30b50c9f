/** Writes of large custom resources in this process, and reads in another version than the stored one, take several turns of the event loop. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Client } from '../../../client/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { object as objectSchema, text } from '../../custom-kinds.js';
import { turnsDuring } from '../../turns.js';
import { serve } from '../serve.js';
import { define, definition, version, widget, widgets } from '../dynamic/definitions.js';

/** Milliseconds of CPU that one turn may take. */
const limit = 50;
const v2 = { ...widgets, version: 'v2' };
const applying = { fieldManager: 'large' };

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const mode = { ...text, default: 'default' };
const itemSchema = (more: object): object =>
  objectSchema({ name: text, inner: objectSchema({ value: text, mode, ...more }), mode });
const schema = (more: object): object => ({
  openAPIV3Schema: objectSchema({
    spec: objectSchema({
      fields: { type: 'object', additionalProperties: text },
      items: { type: 'array', items: itemSchema(more) },
    }),
  }),
});

const specs = {
  items: (count: number) => ({
    items: range(count / 7).map(i => ({ name: `item-${i}`, inner: { value: 'v'.repeat(80), old: 'x' } })),
  }),
  fields: (count: number) => ({ fields: Object.fromEntries(range(count).map(i => [`field-${i}`, 'value-value'])) }),
} as const;

/** Serves Widgets, whose objects are stored as v1; v2 has a field less. */
async function serveWidgets(t: Test): Promise<Client> {
  const { client } = await serve(t, { freeze: false });
  const versions = [
    version('v1', { schema: schema({ old: text }) }),
    version('v2', { storage: false, schema: schema({}) }),
  ];
  await define(client, definition({ versions }));
  return client;
}

const named = (spec: unknown, name: string, apiVersion = 'example.com/v1'): KubeObject =>
  widget(name, { spec }, apiVersion);

interface Item {
  readonly name: string;
  readonly inner: object;
}
const firstItem = ({ spec }: KubeObject): Item | undefined => (spec as { items?: Item[] }).items?.[0];

t.test('a large object is pruned and gets defaults as a small one', async t => {
  const client = await serveWidgets(t);
  for (const [name, count] of [
    ['small', 70],
    ['large', 35_000],
  ] as const) {
    const spec = specs.items(count);
    const value = 'v'.repeat(80);
    const item = { inner: { mode: 'default', old: 'x', value }, mode: 'default', name: 'item-0' };
    t.same(firstItem(await client.create(widgets, named(spec, name))), item, `${name}: create`);
    const at = { namespace: 'default', name };
    const younger = { ...item, inner: { mode: 'default', value } };
    t.same(firstItem(await client.get(v2, at)), younger, `${name}: another version`);
    const made = { ...named(spec, name), metadata: (await client.get(widgets, at)).metadata };
    t.same(firstItem(await client.update(v2, { ...made, apiVersion: 'example.com/v2' })), younger, `${name}: update`);
    t.same(firstItem(await client.get(widgets, at)), younger, `${name}: the stored object`);
    const patch = { type: 'merge', patch: { spec: { ...spec, gone: 1 } } } as const;
    t.same(firstItem(await client.patch(widgets, at, patch)), item, `${name}: patch`);
    const applied = { type: 'apply', patch: named(spec, name), force: true } as const;
    t.same(firstItem(await client.patch(widgets, at, applied, applying)), item, `${name}: apply`);
  }
});

for (const [shape, specOf] of Object.entries(specs))
  t.test(`a large object with many ${shape} does not hold the event loop`, async t => {
    const client = await serveWidgets(t);
    const spec = specOf(45_000);
    let count = 0;
    const next = (): string => `${shape}-${count++}`;
    const measure = async (name: string, run: () => Promise<unknown>): Promise<void> => {
      const { longest } = await turnsDuring(limit, run);
      t.ok(longest < limit, `${name}: the longest turn takes ${longest.toFixed(1)} ms`);
      t.comment(`${shape} ${name}: ${longest.toFixed(1)} ms`);
    };
    await client.create(widgets, named(spec, 'stored'));
    const stored = { namespace: 'default', name: 'stored' };
    const labelled = () => ({ metadata: { labels: { a: next() } } });
    await measure('create', () => client.create(widgets, named(spec, next())));
    await measure('create in another version', () => client.create(v2, named(spec, next(), 'example.com/v2')));
    await measure('update', async () => {
      const { metadata } = await client.get(widgets, stored);
      await client.update(widgets, { ...named(spec, 'stored'), metadata: { ...metadata, labels: { a: next() } } });
    });
    await measure('merge patch', () => client.patch(widgets, stored, { type: 'merge', patch: labelled() }));
    await measure('merge patch of all fields', () =>
      client.patch(widgets, stored, { type: 'merge', patch: { spec, ...labelled() } }),
    );
    await measure('merge patch with a number in another notation', () =>
      client.patch(widgets, stored, { type: 'merge', patch: { ...labelled(), more: 1 }, literals: true }),
    );
    await measure('JSON patch', () =>
      client.patch(widgets, stored, {
        type: 'json',
        patch: [
          { op: 'add', path: `/spec/${shape}/0`, value: shape === 'items' ? { name: next() } : next() },
          { op: 'copy', from: '/spec', path: '/copied' },
          { op: 'test', path: '/copied/gone', value: null },
          { op: 'remove', path: `/spec/${shape}/0` },
          { op: 'remove', path: '/copied' },
        ],
      }),
    );
    await measure('JSON patch that tests the object', async () => {
      const live = await client.get(widgets, stored);
      const patch = [{ op: 'test', path: '/spec', value: cloneJson(live['spec']) }] as const;
      await client.patch(widgets, stored, { type: 'json', patch });
    });
    await measure('merge patch in another version', () =>
      client.patch(v2, stored, { type: 'merge', patch: labelled() }),
    );
    await measure('apply', () =>
      client.patch(widgets, stored, { type: 'apply', patch: named(spec, 'stored'), force: true }, applying),
    );
    await measure('get in another version', async () => {
      await client.patch(widgets, stored, { type: 'merge', patch: labelled() });
      await client.get(v2, stored);
    });
    await measure('dry run', () =>
      client.create(v2, named(spec, next(), 'example.com/v2'), { ...applying, dryRun: true }),
    );
  });
