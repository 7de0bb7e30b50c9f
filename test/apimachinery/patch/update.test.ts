import t from 'tap';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../apimachinery/interface.js';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import { trackUpdate, trackUpdateAsync, type TrackUpdate } from '../../../apimachinery/patch/update.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { Versioned } from '../../../apimachinery/patch/patch-steps.js';
import { printPath } from '../../../apimachinery/patch/typed/path-element.js';
import { difference, fieldPathsOf } from '../../../apimachinery/patch/typed/field-set.js';
import { parseFieldsV1 } from '../../../apimachinery/patch/typed/fields-v1.js';
import { corpus } from './corpus.js';
import { kindOf } from './replay.js';
import { frozen } from './support.js';

function native(group: string, kind: string): Schema {
  const schema = nativeSchemaFor({ group, version: 'v1', kind });
  if (!schema) throw new Error(kind);
  return schema;
}

const configMap = native('', 'ConfigMap');
const first = new Date('2026-01-01T00:00:00Z');
const second = new Date('2026-01-01T00:00:01Z');

const object = (data: JsonObject, managedFields?: readonly ManagedFieldsEntry[]): KubeObject =>
  frozen({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      ...(managedFields && { managedFields: [...managedFields] }),
    },
    data,
  });

const write = (input: Partial<TrackUpdate> & Pick<TrackUpdate, 'live' | 'next' | 'manager'>): TrackUpdate => ({
  schema: configMap,
  version: 'v1',
  subresource: '',
  now: second,
  ...input,
});

const owners = (entries: readonly ManagedFieldsEntry[] | undefined): unknown =>
  entries?.map(e => [e.manager, e.operation, e.time, e.fieldsV1]);

const created = trackUpdate(write({ live: undefined, next: object({ k: 'v', l: 'w' }), manager: 'one', now: first }));
const live = object({ k: 'v', l: 'w' }, created);

t.test('the creator of an object owns its fields', t => {
  t.strictSame(created, [
    {
      manager: 'one',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {} } },
    },
  ]);
  t.strictSame(owners(trackUpdate(write({ live: undefined, next: object({}), manager: '' }))), [
    ['unknown', 'Update', '2026-01-01T00:00:01Z', { 'f:data': {} }],
  ]);
  t.end();
});

t.test('changed fields move to the manager that changes them', t => {
  const next = object({ k: 'x', l: 'w', m: 'n' });
  t.strictSame(owners(trackUpdate(write({ live, next, manager: 'two' }))), [
    ['one', 'Update', '2026-01-01T00:00:00Z', { 'f:data': { '.': {}, 'f:l': {} } }],
    ['two', 'Update', '2026-01-01T00:00:01Z', { 'f:data': { 'f:k': {}, 'f:m': {} } }],
  ]);
  t.strictSame(owners(trackUpdate(write({ live, next, manager: 'one' }))), [
    ['one', 'Update', '2026-01-01T00:00:01Z', { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {}, 'f:m': {} } }],
  ]);
  t.strictSame(owners(trackUpdate(write({ live, next, manager: 'one', subresource: 'status' }))), [
    ['one', 'Update', '2026-01-01T00:00:00Z', { 'f:data': { '.': {}, 'f:l': {} } }],
    ['one', 'Update', '2026-01-01T00:00:01Z', { 'f:data': { 'f:k': {}, 'f:m': {} } }],
  ]);
  t.end();
});

t.test('removed fields have no owner', t => {
  t.strictSame(owners(trackUpdate(write({ live, next: object({ k: 'v' }), manager: 'two' }))), [
    ['one', 'Update', '2026-01-01T00:00:00Z', { 'f:data': { '.': {}, 'f:k': {} } }],
  ]);
  t.end();
});

t.test('a write that changes nothing changes no ownership', t => {
  for (const next of [live, object({ l: 'w', k: 'v' }), object({ k: 'v', l: 'w' }, created)])
    t.equal(trackUpdate(write({ live, next, manager: 'two' })), live.metadata.managedFields);
  const moved = { ...live, metadata: { ...live.metadata, resourceVersion: '2', generation: 4 } };
  t.equal(trackUpdate(write({ live, next: moved, manager: 'two' })), live.metadata.managedFields);
  t.end();
});

t.test('the set of a manager that writes the same fields again is the same object', t => {
  const again = trackUpdate(write({ live, next: object({ k: 'x', l: 'w' }, created), manager: 'one' }));
  t.strictSame(owners(again), [
    ['one', 'Update', '2026-01-01T00:00:01Z', { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {} } }],
  ]);
  t.equal(again?.[0]?.fieldsV1, live.metadata.managedFields?.[0]?.fieldsV1, 'read, reconciled and written once');
  const less = trackUpdate(write({ live, next: object({ k: 'x' }, created), manager: 'one' }));
  t.strictSame(less?.[0]?.fieldsV1, { 'f:data': { '.': {}, 'f:k': {} } }, 'but not one that is gone');
  const more = trackUpdate(write({ live, next: object({ k: 'x', l: 'w', m: 'v' }, created), manager: 'one' }));
  t.strictSame(more?.[0]?.fieldsV1, { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {}, 'f:m': {} } }, 'nor one that grows');
  t.end();
});

t.test('appliers lose the fields that others change', t => {
  const applied = [{ ...created?.[0], operation: 'Apply' as const }];
  const next = object({ k: 'x', l: 'w' });
  t.strictSame(owners(trackUpdate(write({ live: object({ k: 'v', l: 'w' }, applied), next, manager: 'two' }))), [
    ['one', 'Apply', '2026-01-01T00:00:00Z', { 'f:data': { '.': {}, 'f:l': {} } }],
    ['two', 'Update', '2026-01-01T00:00:01Z', { 'f:data': { 'f:k': {} } }],
  ]);
  t.end();
});

t.test('untracked objects stay untracked', t => {
  const untracked = object({ k: 'v' });
  t.equal(trackUpdate(write({ live: untracked, next: object({ k: 'x' }), manager: 'two' })), undefined);
  t.equal(trackUpdate(write({ live, next: object({ k: 'x' }, []), manager: 'two' })), undefined);
  t.equal(trackUpdate(write({ live, next: object({ k: 'x' }, [{}]), manager: 'two' })), undefined);
  t.end();
});

t.test('fields that an endpoint resets have no owner', t => {
  const next = object({ k: 'x', l: 'w' });
  t.equal(trackUpdate(write({ live, next, manager: 'two', resetFields: ['data'] })), live.metadata.managedFields);
  const status = { allBut: ['data.k'] };
  t.strictSame(
    owners(trackUpdate(write({ live, next: object({ k: 'x', l: 'y' }), manager: 'two', resetFields: status }))),
    [
      ['one', 'Update', '2026-01-01T00:00:00Z', { 'f:data': { '.': {}, 'f:l': {} } }],
      ['two', 'Update', '2026-01-01T00:00:01Z', { 'f:data': { 'f:k': {} } }],
    ],
  );
  t.end();
});

t.test('managers in other versions are compared in their version', async t => {
  const schema: Schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } },
  };
  const custom = (version: string, fields: JsonObject, managedFields?: ManagedFieldsEntry[]): KubeObject => ({
    apiVersion: `ex.io/${version}`,
    kind: 'Foo',
    metadata: { name: 'x', uid: 'u', ...(managedFields && { managedFields }) },
    ...fields,
  });
  const entryOf = (version: string, fieldsV1: JsonObject): ManagedFieldsEntry => ({
    manager: version,
    operation: 'Update',
    apiVersion: `ex.io/${version}`,
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
  });
  // v2 calls `a` what v1 calls `b`; v9 is not served
  const requested: string[] = [];
  const convert = (from: KubeObject, apiVersion: string): Versioned | undefined => {
    requested.push(apiVersion);
    if (apiVersion === 'ex.io/v9') return undefined;
    const { a, b, ...rest } = from as KubeObject & { a?: string; b?: string };
    return {
      object: { ...rest, apiVersion, ...(b !== undefined && { a: b }), ...(a !== undefined && { b: a }) },
      schema,
    };
  };
  const entries = [
    entryOf('v1', { 'f:a': {}, 'f:c': {} }),
    entryOf('v2', { 'f:a': {}, 'f:b': {} }),
    entryOf('v9', { 'f:a': {} }),
  ];
  const before = frozen(custom('v1', { a: '1', b: '1', c: '1' }, entries));
  const next = frozen(custom('v1', { a: '2', b: '1', c: '1' }));
  const input = write({ live: before, next, manager: 'me', schema, version: 'ex.io/v1' });
  const expect = [
    ['v1', 'Update', '2026-01-01T00:00:00Z', { 'f:c': {} }],
    ['v2', 'Update', '2026-01-01T00:00:00Z', { 'f:a': {} }],
    ['me', 'Update', '2026-01-01T00:00:01Z', { 'f:a': {} }],
  ];
  t.strictSame(owners(trackUpdate(input, convert)), expect);
  t.strictSame(requested.sort(), ['ex.io/v2', 'ex.io/v2', 'ex.io/v9'], 'each object once per version');
  t.strictSame(owners(await trackUpdateAsync(input, async (...of) => convert(...of))), expect);
  t.strictSame(owners(trackUpdate(input)), [expect[0], expect[2]], 'without conversion only its own version counts');
});

/** Fields that strategies and admission fill in after ownership is computed. */
const later = `Job.metadata.labels Job.spec.selector Job.spec.template.metadata.labels Namespace.spec.finalizers
  Pod.spec.preemptionPolicy Pod.spec.priority Pod.spec.tolerations
  Service.spec.clusterIP Service.spec.clusterIPs Service.spec.ipFamilies Service.spec.ipFamilyPolicy`.split(/\s+/);
/** Fields that are written as null, but sent as []. */
const sentEmpty = ['ClusterRole.rules', 'Role.rules', 'CSINode.spec.drivers'];

t.test('created objects of all native kinds have the recorded managedFields', t => {
  let compared = 0;
  for (const area of ['defaults', 'metadata', 'admission', 'listwatch', 'fieldvalidation', 'validation'])
    for (const { name, steps } of corpus(area)) {
      const [step] = steps;
      const want = step?.want?.body as KubeObject | undefined;
      const [entry] = want?.metadata?.managedFields ?? [];
      if (!step?.do?.startsWith('POST') || !want || !entry || !/^(v1|[a-z.0-9]+\/v[0-9a-z]+)$/.test(want.apiVersion))
        continue;
      const { managedFields: _, ...metadata } = want.metadata;
      const { schema, version } = kindOf(want);
      const manager = entry.manager ?? '';
      const next = { ...want, metadata };
      const found = trackUpdate({
        live: undefined,
        next,
        schema,
        version,
        manager,
        subresource: '',
        resetFields: ['status'],
        now: first,
      });
      const mine = parseFieldsV1(found?.[0]?.fieldsV1 ?? {});
      const theirs = parseFieldsV1(entry.fieldsV1 ?? {});
      const print = (set: typeof mine): string[] => [...fieldPathsOf(set)].map(path => want.kind + printPath(path));
      const extra = print(difference(mine, theirs)).filter(path => !later.some(known => path.startsWith(known)));
      const missing = print(difference(theirs, mine)).filter(path => !sentEmpty.includes(path));
      if (extra.length + missing.length > 0) t.fail(`${area} ${name}: ${[...extra, ...missing].join(' ')}`);
      compared++;
    }
  t.ok(compared > 100, `${compared} creations`);
  t.end();
});

t.test('custom resources have the recorded managedFields', t => {
  interface Definition {
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema: Schema };
      readonly subresources?: JsonObject;
    }[];
  }
  let compared = 0;
  for (const { name, steps } of corpus('crd')) {
    const crd = steps.find(s => (s.body as JsonObject | undefined)?.kind === 'CustomResourceDefinition')?.body as
      { spec?: Definition } | undefined;
    const stored = new Map<string, KubeObject>();
    for (const step of steps) {
      const want = step.want?.body as KubeObject | undefined;
      const version = crd?.spec?.versions?.find(v => String(want?.apiVersion).endsWith(`/${v.name}`));
      if (
        !want ||
        !version ||
        want.kind !== crd?.spec?.names?.kind ||
        /^(GET|DELETE)/.test(step.do) ||
        step.type?.includes('apply')
      )
        continue;
      const { managedFields, ...metadata } = want.metadata;
      const status = /\/status(\?|$)/.test(step.do);
      const found = trackUpdate({
        live: stored.get(want.metadata.name ?? ''),
        next: { ...want, metadata },
        schema: version.schema?.openAPIV3Schema ?? { type: 'object' },
        version: want.apiVersion,
        manager: /fieldManager=([^&]+)/.exec(step.do)?.[1] ?? 'corpus',
        subresource: status ? 'status' : '',
        resetFields: status ? ['spec', 'metadata'] : version.subresources?.status ? ['status'] : [],
        now: first,
      });
      const sets = (entries: readonly ManagedFieldsEntry[] | undefined): unknown =>
        entries?.map(e => [e.manager, e.subresource, e.fieldsV1]);
      t.strictSame(sets(found), sets(managedFields), `${name} ${step.do}`);
      const timed = managedFields?.map(e => ({ ...e, time: '2026-01-01T00:00:00Z' }));
      stored.set(want.metadata.name ?? '', {
        ...want,
        metadata: { ...metadata, ...(timed && { managedFields: timed }) },
      });
      compared++;
    }
  }
  t.ok(compared >= 25, `${compared} writes`);
  t.end();
});
