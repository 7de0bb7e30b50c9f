import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../apimachinery/interface.js';
import { apply, applyAsync, checkApplied, type Apply } from '../../../apimachinery/patch/apply.js';
import { lastAppliedAnnotation } from '../../../apimachinery/patch/last-applied.js';
import { trackUpdate } from '../../../apimachinery/patch/update.js';
import type { Versioned } from '../../../apimachinery/patch/patch-steps.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { random as randomOf } from '../../random.js';
import { frozen, rejection } from './support.js';

const first = new Date('2026-01-01T00:00:00Z');
const second = new Date('2026-01-01T00:00:01Z');

const text: Schema = { type: 'string' };
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: text,
        b: text,
        map: { type: 'object', additionalProperties: text },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        list: { type: 'array', items: text },
        items: {
          type: 'array',
          items: { type: 'object', properties: { name: text, x: text, y: text } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
  },
};

const version = 'ex.io/v1';
const foo = (spec: JsonObject | undefined, more: JsonObject = {}): KubeObject => ({
  apiVersion: version,
  kind: 'Foo',
  metadata: { name: 'a', ...more },
  ...(spec && { spec }),
});

type Options = Partial<Omit<Apply, 'live' | 'applied' | 'manager'>>;

/** Applies a spec as a manager. Returns the object as it is stored after that. */
function applySpec(
  live: KubeObject | undefined,
  manager: string,
  spec?: JsonObject,
  options: Options = {},
): KubeObject {
  const input: Apply = {
    live: live && frozen(live),
    applied: frozen(foo(spec)),
    manager,
    schema,
    version,
    force: false,
    subresource: '',
    now: second,
    ...options,
  };
  const { object, managedFields } = apply(input);
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, uid: 'u', ...(managedFields && { managedFields }) } };
}

function update(live: KubeObject | undefined, manager: string, spec: JsonObject): KubeObject {
  const next = foo(spec, { uid: 'u' });
  const managedFields = trackUpdate({ live, next, schema, version, manager, subresource: '', now: first });
  return { ...next, metadata: { ...next.metadata, ...(managedFields && { managedFields }) } };
}

const owners = (object: KubeObject): unknown =>
  (object.metadata.managedFields ?? []).map(e => [e.manager, e.operation, (e.fieldsV1 as JsonObject)['f:spec']]);
const times = (object: KubeObject): unknown => (object.metadata.managedFields ?? []).map(e => [e.manager, e.time]);

t.test('fields that are not applied any more are removed', t => {
  const rows: readonly (readonly [string, JsonObject, JsonObject, JsonObject])[] = [
    ['a scalar', { a: '1', b: '2' }, { a: '1' }, { a: '1' }],
    ['a key', { map: { x: '1', y: '2' } }, { map: { y: '2' } }, { map: { y: '2' } }],
    ['the last key', { a: '1', map: { x: '1' } }, { a: '1', map: {} }, { a: '1', map: {} }],
    ['a map', { a: '1', map: { x: '1' } }, { a: '1' }, { a: '1' }],
    ['a member', { set: ['x', 'y'] }, { set: ['y'] }, { set: ['y'] }],
    [
      'an item',
      { items: [{ name: 'p', x: '1' }, { name: 'q' }] },
      { items: [{ name: 'q' }] },
      { items: [{ name: 'q' }] },
    ],
    [
      'a field of an item',
      { items: [{ name: 'p', x: '1', y: '2' }] },
      { items: [{ name: 'p', y: '2' }] },
      { items: [{ name: 'p', y: '2' }] },
    ],
    ['an atomic list', { a: '1', list: ['x'] }, { a: '1' }, { a: '1' }],
  ];
  for (const [name, before, after, expect] of rows)
    t.strictSame(applySpec(applySpec(undefined, 'm', before), 'm', after).spec, expect, name);
  t.end();
});

t.test('fields that others own stay', t => {
  const both = applySpec(applySpec(undefined, 'one', { items: [{ name: 'p', x: '1' }], map: { k: 'v' } }), 'two', {
    items: [{ name: 'p', y: '2' }],
    map: { k: 'v' },
  });
  t.strictSame(applySpec(both, 'one', {}).spec, { items: [{ name: 'p', y: '2' }], map: { k: 'v' } });
  t.strictSame(owners(applySpec(both, 'one')), [
    ['two', 'Apply', { 'f:items': { 'k:{"name":"p"}': { '.': {}, 'f:name': {}, 'f:y': {} } }, 'f:map': { 'f:k': {} } }],
  ]);
  const defaulted = { ...both, spec: { ...(both.spec as JsonObject), b: 'nobody' } };
  t.strictSame(applySpec(defaulted, 'one', { map: { k: 'v' } }).spec, {
    items: [{ name: 'p', y: '2' }],
    map: { k: 'v' },
    b: 'nobody',
  });
  t.end();
});

t.test('an item is removed with its fields that have no owner', t => {
  const applied = applySpec(undefined, 'one', { items: [{ name: 'p', x: '1' }, { name: 'q' }] });
  const filled = {
    ...applied,
    spec: {
      items: [
        { name: 'p', x: '1', y: 'default' },
        { name: 'q', y: 'default' },
      ],
    },
  };
  t.strictSame(applySpec(filled, 'one', { items: [{ name: 'q' }] }).spec, { items: [{ name: 'q', y: 'default' }] });
  t.end();
});

t.test('reset fields have no owner', t => {
  const one = applySpec(undefined, 'one', { a: '1', b: '2' }, { resetFields: ['spec.b'] });
  t.strictSame(owners(one), [['one', 'Apply', { 'f:a': {} }]]);
  t.strictSame(
    owners(applySpec(one, 'two', { a: '1', b: '3' }, { resetFields: ['spec.b'] })),
    [
      ['two', 'Apply', { 'f:a': {} }],
      ['one', 'Apply', { 'f:a': {} }],
    ].sort(),
  );
  const none = applySpec(undefined, 'one', { a: '1' }, { resetFields: ['spec'] });
  t.equal(none.metadata.managedFields, undefined);
  t.end();
});

t.test('a field that another manager owns with another value is a conflict', t => {
  const one = applySpec(update(undefined, 'up', { a: '1', items: [{ name: 'p', x: '1' }] }), 'one', {
    map: { k: 'v' },
  });
  const conflicting = { a: '2', map: { k: 'w' }, items: [{ name: 'p', x: '2' }] };
  const error = rejection(() => applySpec(one, 'two', conflicting));
  t.equal(error.code, 409);
  t.equal(
    error.message,
    'Apply failed with 3 conflicts: conflicts with "one":\n- .spec.map.k\nconflicts with "up" using ex.io/v1:\n- .spec.a\n- .spec.items[name="p"].x',
  );
  t.strictSame(error.status.details, {
    causes: [
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.map.k' },
      { reason: 'FieldManagerConflict', message: 'conflict with "up" using ex.io/v1', field: '.spec.a' },
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "up" using ex.io/v1',
        field: '.spec.items[name="p"].x',
      },
    ],
  });
  const forced = applySpec(one, 'two', conflicting, { force: true });
  t.strictSame(forced.spec, conflicting);
  t.strictSame(owners(forced), [
    [
      'two',
      'Apply',
      { 'f:a': {}, 'f:items': { 'k:{"name":"p"}': { '.': {}, 'f:name': {}, 'f:x': {} } }, 'f:map': { 'f:k': {} } },
    ],
    ['up', 'Update', { '.': {}, 'f:items': { '.': {}, 'k:{"name":"p"}': { '.': {}, 'f:name': {} } } }],
  ]);
  t.end();
});

t.test('a field applied with the same value has two owners', t => {
  const one = applySpec(undefined, 'one', { a: '1' });
  const two = applySpec(one, 'two', { a: '1' });
  t.strictSame(times(two), [
    ['two', undefined],
    ['one', '2026-01-01T00:00:01Z'],
  ]);
  t.strictSame(applySpec(two, 'one', {}).spec, { a: '1' });
  t.end();
});

t.test('an apply that changes nothing returns the live object', t => {
  const live = frozen(applySpec(undefined, 'one', { a: '1', set: ['x'] }));
  const input = {
    live,
    applied: foo({ a: '1', set: ['x'] }),
    manager: 'one',
    schema,
    version,
    force: false,
    subresource: '',
  };
  const again = apply({ ...input, now: new Date() });
  t.equal(again.object, live);
  t.equal(again.managedFields, live.metadata.managedFields);
  t.end();
});

t.test('the first apply on an untracked object', t => {
  const untracked = foo({ a: '1', b: '2' }, { uid: 'u' });
  t.strictSame(owners(applySpec(untracked, 'one', { a: '1' })), [
    ['one', 'Apply', { 'f:a': {} }],
    ['before-first-apply', 'Update', { '.': {}, 'f:a': {}, 'f:b': {} }],
  ]);
  const error = rejection(() => applySpec(untracked, 'one', { a: '2' }));
  t.equal(error.message, 'Apply failed with 1 conflict: conflict with "before-first-apply" using ex.io/v1: .spec.a');
  t.end();
});

t.test('bodies that do not conform to the schema are refused', t => {
  const head = 'failed to create typed patch object (/a; ex.io/v1, Kind=Foo): ';
  const rows: readonly (readonly [JsonObject, string])[] = [
    [{ bogus: 1 }, '.spec.bogus: field not declared in schema'],
    [{ set: ['x', 'x'] }, '.spec.set: duplicate entries for key [="x"]'],
    [{ items: 'x' }, '.spec.items: expected list, got &{x}'],
  ];
  for (const [spec, fault] of rows) {
    const error = rejection(() => applySpec(undefined, 'm', spec));
    t.equal(error.message, head + fault);
    t.strictSame([error.code, error.reason, error.status.details], [500, '', undefined]);
  }
  const twice = applySpec(undefined, 'm', { set: ['x'] });
  const duplicated = { ...twice, spec: { set: ['x', 'x'] } };
  t.strictSame(
    applySpec(duplicated, 'm', { set: ['x'], a: '1' }).spec,
    { set: ['x'], a: '1' },
    'duplicates in the live object are tolerated',
  );
  const changed = { ...twice, spec: { gone: 1 } };
  t.match(
    rejection(() => applySpec(changed, 'm', {})).message,
    /^failed to create typed live object \(\/a; ex.io\/v1, Kind=Foo\): .spec.gone/,
  );
  const broken = foo({}, { managedFields: [{ manager: 'x' }] });
  t.match(rejection(() => applySpec(broken, 'm', {})).message, /^failed to decode managed fields: operation must be/);
  t.end();
});

t.test('bodies of another type or with managedFields are refused', t => {
  const gvk = { group: '', version: 'v1', kind: 'ConfigMap' };
  const body = (more: JsonObject): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    ...more,
  });
  const rows: readonly (readonly [JsonObject, string])[] = [
    [{ kind: 'Secret' }, 'invalid object type: /v1, Kind=Secret'],
    [{ apiVersion: 'v9' }, 'invalid object type: /v9, Kind=ConfigMap'],
    [{ apiVersion: 'apps/v1' }, 'invalid object type: apps/v1, Kind=ConfigMap'],
    [{ apiVersion: undefined, kind: undefined }, 'invalid object type: /, Kind='],
    [{ apiVersion: 'a/b/c' }, 'invalid object type: /, Kind='],
    [{ metadata: { managedFields: [] } }, 'metadata.managedFields must be nil'],
  ];
  for (const [more, expect] of rows) {
    const error = rejection(() => checkApplied(body(more), gvk));
    t.strictSame([error.code, error.message], [400, expect]);
  }
  for (const good of [{}, { metadata: { managedFields: null } }, { metadata: undefined }])
    checkApplied(body(good), gvk);
  t.end();
});

t.test('kubectl takes over the fields of its client-side apply', t => {
  const configMap = nativeSchemaFor({ group: '', version: 'v1', kind: 'ConfigMap' });
  if (!configMap) throw new Error('ConfigMap');
  const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1', b: '2' } };
  const annotations = { [lastAppliedAnnotation]: JSON.stringify(configuration) };
  const stored: KubeObject = {
    ...configuration,
    metadata: { name: 'a', uid: 'u', annotations },
    data: { a: '1', b: 'changed', c: '3' },
  };
  const common = { schema: configMap, version: 'v1', subresource: '', now: second };
  const managedFields = trackUpdate({ ...common, live: undefined, next: stored, manager: 'kubectl-client-side-apply' });
  const live = frozen({ ...stored, metadata: { ...stored.metadata, ...(managedFields && { managedFields }) } });
  const attempt = (manager: string, data: JsonObject): KubeObject =>
    apply({ ...common, live, applied: { ...configuration, data }, manager, force: false }).object;
  const taken = attempt('kubectl', { a: '9' });
  t.strictSame(taken.data, { a: '9', b: 'changed', c: '3' }, 'what was applied client-side may be taken');
  t.equal(
    taken.metadata.annotations?.[lastAppliedAnnotation],
    '{"apiVersion":"v1","data":{"a":"9"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
    'and the annotation follows',
  );
  t.match(
    rejection(() => attempt('kubectl', { a: '9', b: '9' })).message,
    /1 conflict.*: \.data\.b$/,
    'what differs since is not',
  );
  t.match(rejection(() => attempt('kubectl', { c: '9' })).message, /\.data\.c$/);
  t.match(rejection(() => attempt('other', { a: '9' })).message, /\.data\.a$/, 'for kubectl only');
  t.equal(attempt('other', { a: '1' }), live, 'others leave the annotation alone');
  const noted = { ...configuration, metadata: { name: 'a', annotations: { x: 'y', [lastAppliedAnnotation]: 'mine' } } };
  const merged = apply({ ...common, live, applied: noted, manager: 'kubectl', force: true }).object;
  t.equal(
    merged.metadata.annotations?.[lastAppliedAnnotation],
    '{"apiVersion":"v1","data":{"a":"1","b":"2"},"kind":"ConfigMap","metadata":{"annotations":{"x":"y"},"name":"a"}}\n',
    'the annotation does not hold itself',
  );
  const again = apply({ ...common, live: frozen(merged), applied: noted, manager: 'kubectl', force: true }).object;
  t.equal(
    apply({ ...common, live: frozen(again), applied: noted, manager: 'kubectl', force: true }).object.metadata
      .annotations?.[lastAppliedAnnotation],
    again.metadata.annotations?.[lastAppliedAnnotation],
  );
  for (const broken of [
    '{',
    '[]',
    '{"apiVersion":"v2","data":{"a":"1"}}',
    '{"apiVersion":"v1","bogus":1,"data":{"a":"1"}}',
  ]) {
    const other = { ...live, metadata: { ...live.metadata, annotations: { [lastAppliedAnnotation]: broken } } };
    const input = {
      ...common,
      live: other,
      applied: { ...configuration, data: { a: '9' } },
      manager: 'kubectl',
      force: false,
    };
    t.match(rejection(() => apply(input)).message, /\.data\.a$/, broken);
  }
  const large = attempt('kubectl', { a: '1', d: 'x'.repeat(300_000) });
  t.equal(large.metadata.annotations?.[lastAppliedAnnotation], undefined, 'too large: no annotation');
  t.end();
});

t.test('fields applied in another version before are removed', async t => {
  const other = 'ex.io/v2';
  // v2 calls `b` what v1 calls `a`
  const convert = ({ spec, ...rest }: KubeObject, apiVersion: string): Versioned | undefined => {
    const { a, b, ...more } = (spec ?? {}) as JsonObject;
    const swapped = { ...more, ...(b !== undefined && { a: b }), ...(a !== undefined && { b: a }) };
    return { object: { ...rest, apiVersion, spec: swapped }, schema };
  };
  const fieldsV1 = { 'f:spec': { 'f:a': {}, 'f:map': { 'f:k': {} } } };
  const entry: ManagedFieldsEntry = {
    manager: 'm',
    operation: 'Apply',
    apiVersion: other,
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
  const live = frozen(foo({ a: 'mine', b: 'was a in v2', map: { k: 'v' } }, { uid: 'u', managedFields: [entry] }));
  const applied = frozen(foo({ map: { k: 'v' } }));
  const input = { live, applied, manager: 'm', schema, version, force: false, subresource: '', now: second };
  for (const { object, managedFields } of [
    apply(input, convert),
    await applyAsync(input, async (...of) => convert(...of)),
  ]) {
    t.strictSame(object.spec, { a: 'mine', map: { k: 'v' } }, 'the field is removed by its name of now');
    t.strictSame(managedFields?.[0]?.apiVersion, version);
  }
  const kept = apply(input);
  t.equal(kept.object, live, 'a version that is not served any more removes nothing');
  t.end();
});

/** Returns random specs of the schema, without empty granular lists, of which upstream tracks nothing. */
function randomSpec(random: () => number): JsonObject {
  const pick = <T>(...of: T[]): T => of[Math.floor(random() * of.length)] as T;
  const some = (): boolean => random() < 0.5;
  const spec: JsonObject = {};
  if (some()) spec.a = pick('1', '2');
  if (some()) spec.b = pick('1', '2');
  if (some()) spec.list = pick(['x'], ['x', 'y'], []);
  if (some()) spec.map = Object.fromEntries(['k', 'l', 'm'].filter(some).map(key => [key, pick('1', '2')]));
  const set = ['p', 'q', 'r'].filter(some);
  if (set.length > 0) spec.set = set;
  const item = (name: string): JsonObject => ({
    name,
    ...(some() && { x: pick('1', '2') }),
    ...(some() && { y: pick('1', '2') }),
  });
  const items = ['i', 'j', 'k'].filter(some).map(item);
  if (items.length > 0) spec.items = items;
  return spec;
}

t.test('applies of random objects obey the rules of ownership', t => {
  const { next: random } = randomOf(42);
  for (let round = 0; round < 200; round++) {
    let live: KubeObject | undefined = random() < 0.5 ? update(undefined, 'up', randomSpec(random)) : undefined;
    const applied = new Map<string, JsonObject>();
    for (let i = 0; i < 6; i++) {
      const manager = ['one', 'two', 'three'][Math.floor(random() * 3)] ?? '';
      const spec = randomSpec(random);
      live = applySpec(live, manager, spec, { force: true });
      applied.set(manager, spec);
      const again = applySpec(live, manager, spec, { now: first });
      if (JSON.stringify(again) !== JSON.stringify(live))
        t.fail(`round ${round}: applying again changes something: ${JSON.stringify(live)} ${JSON.stringify(again)}`);
      const everything = JSON.stringify(live.spec);
      for (const entry of live.metadata.managedFields ?? []) {
        const set = JSON.stringify(entry.fieldsV1);
        if (set === '{}') t.fail(`round ${round}: ${entry.manager} owns nothing: ${everything}`);
      }
    }
    // Managers apply an empty object in turn: a field that was applied last by a manager stays until that manager does so.
    for (const manager of applied.keys()) {
      const before: KubeObject = live ?? foo({});
      live = applySpec(before, manager);
      const others = (before.metadata.managedFields ?? []).filter(
        e => !(e.manager === manager && e.operation === 'Apply'),
      );
      if (JSON.stringify(live.metadata.managedFields ?? []) !== JSON.stringify(others))
        t.fail(
          `round ${round}: an empty apply changed the fields of others: ${JSON.stringify(before)} ${JSON.stringify(live)}`,
        );
    }
  }
  t.pass('200 rounds');
  t.end();
});
