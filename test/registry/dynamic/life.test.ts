import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { asDefinition } from '../../../registry/dynamic/crd.js';
import { finalize } from '../../../registry/dynamic/finalize.js';
import { removerOf } from '../../../registry/dynamic/remover.js';
import { object, whole } from '../../custom-kinds.js';
import { admin, serve } from '../serve.js';
import {
  condition,
  crds,
  define,
  definition as definitionOf,
  unserved,
  until,
  version,
  widget as widgetOf,
  widgets,
} from './definitions.js';

const definition = (): KubeObject =>
  definitionOf({
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wg'] },
    versions: [version('v1', { schema: { openAPIV3Schema: object({ spec: object({ n: whole }) }) } })],
  });
const widget = (name: string): KubeObject => widgetOf(name, { spec: { n: 1 } });

t.test('the life cycle of a CRD: names, establishment, objects, deletion', async t => {
  const { client, catalogue } = await serve(t);
  const created = await client.create(crds, definition());
  t.same(created.status, { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
  const stop = new AbortController();
  for await (const { object } of client.watch(
    crds,
    { resourceVersion: created.metadata.resourceVersion ?? '' },
    stop.signal,
  )) {
    t.match(object.status, {
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wg'],
      },
      conditions: [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
      ],
    });
    break;
  }
  t.ok(catalogue.find(widgets), 'it is served');
  const made = await client.create(widgets, widget('a'));
  t.equal(made.metadata.generation, 1);
  t.same((await client.list(widgets)).items, [made]);
  await client.delete(crds, { name: 'widgets.example.com' });
  for await (const { type } of client.watch(
    crds,
    { resourceVersion: made.metadata.resourceVersion ?? '' },
    stop.signal,
  ))
    if (type === 'DELETED') break;
  await unserved(client);
});

t.test('a CRD stored by an older server is served as it is, and its condition has the faults', async t => {
  const { client, backend } = await serve(t);
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { spec: { properties: { n: { type: 'integer' } } } } },
  };
  const status = { acceptedNames: { plural: '', kind: '' }, conditions: [], storedVersions: ['v1'] };
  const spec = {
    ...(definition().spec as object),
    preserveUnknownFields: true,
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  const metadata = { name: 'widgets.example.com', uid: 'u', generation: 1, creationTimestamp: '2020-01-01T00:00:00Z' };
  const stored = { ...definition(), metadata, spec, status };
  const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com';
  await backend.put(key, 'absent', Buffer.from(JSON.stringify(stored)));
  const old = await until(client, event => condition(event, 'NonStructuralSchema') !== 'none');
  t.match((old.status as { conditions: object[] }).conditions.at(-1), {
    type: 'NonStructuralSchema',
    status: 'True',
    reason: 'Violations',
    message:
      '[spec.preserveUnknownFields: Invalid value: true: must be false, spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields]',
  });
  const made = await client.create(widgets, { ...widget('a'), more: { x: 1 } });
  t.same(made['more'], { x: 1 }, 'nothing is pruned');
  const self = { name: 'widgets.example.com' };
  const merge = (spec: object) => client.patch(crds, self, { type: 'merge', patch: { spec } });
  t.equal((await merge({ names: { shortNames: ['w'] } })).metadata.generation, 2, 'it can be changed as it is');
  const good = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await merge({ preserveUnknownFields: false, versions: [{ ...spec.versions[0], schema: good }] });
  await until(client, event => condition(event, 'NonStructuralSchema') === 'none');
});

t.test('objects that block the deletion of a CRD are reported', async t => {
  const { client, catalogue, pipeline } = await serve(t);
  await define(client, definition());
  const made = widget('a');
  await client.create(widgets, { ...made, metadata: { ...made.metadata, finalizers: ['example.com/keep'] } });
  const crd = asDefinition(await client.get(crds, { name: 'widgets.example.com' }));
  const signal = new AbortController().signal;
  const remover = removerOf(pipeline, admin);
  const options = { crd, client, definition: catalogue.find(widgets), remover, now: Date.now, signal, timeoutMs: 1 };
  const text = 'could not confirm zero CustomResources remaining: context deadline exceeded';
  await t.rejects(finalize(options), new Error(text));
  const { status } = asDefinition(await client.get(crds, { name: 'widgets.example.com' }));
  t.match(status?.conditions?.at(-1), {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionCheck',
    message: text,
  });
  t.match(await client.get(widgets, { namespace: 'default', name: 'a' }), { metadata: { deletionTimestamp: /./ } });
});
