import t from 'tap';
import { nativeSchemaFor } from '../../../../openapi/facts/load.js';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { withNamedFields, reconcileWithSchema } from '../../../../apimachinery/patch/typed/field-set-schema.js';
import { equalSets, type FieldSet } from '../../../../apimachinery/patch/typed/field-set.js';
import { parseFieldsV1, writeFieldsV1 } from '../../../../apimachinery/patch/typed/fields-v1.js';
import { objectShape } from '../../../../apimachinery/patch/typed/shape.js';
import { compareTyped } from '../../../../apimachinery/patch/typed/typed-compare.js';
import { compareInSteps } from '../../../../apimachinery/patch/typed/typed-compare-steps.js';
import { atOnce, type InSteps } from '../../../../lib/time-slice.js';
import { fieldsOf, namedFieldsOf } from '../../../../apimachinery/patch/typed/typed-fields.js';
import { fieldsInSteps } from '../../../../apimachinery/patch/typed/typed-fields-steps.js';
import { extractItems, removeItems } from '../../../../apimachinery/patch/typed/typed-items.js';
import { mergeInSteps, mergeTyped } from '../../../../apimachinery/patch/typed/typed-merge.js';
import { typedFault, typedFaultInSteps } from '../../../../apimachinery/patch/typed/typed-validate.js';
import type { Schema } from '../../../../apimachinery/codec/interface.js';
import { frozen } from '../support.js';

const text: Schema = { type: 'string' };
const port: Schema = {
  type: 'object',
  properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: text },
};
const mapList = (items: Schema, ...keys: string[]): Schema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});

/** A custom resource with a field of each form. */
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text,
        number: { type: 'integer' },
        flag: { type: 'boolean' },
        size: { 'x-kubernetes-int-or-string': true },
        labels: { type: 'object', additionalProperties: text },
        nested: { type: 'object', additionalProperties: { type: 'object', properties: { a: text, b: text } } },
        atomicMap: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        list: { type: 'array', items: text },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        ports: mapList(port, 'port', 'protocol'),
        items: mapList(
          {
            type: 'object',
            properties: {
              name: text,
              value: text,
              tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
            },
          },
          'name',
        ),
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        empty: { type: 'object' },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
};
const shape = objectShape(schema);
const of = (spec: JsonObject): JsonObject => ({ apiVersion: 'ex.io/v1', kind: 'Foo', metadata: { name: 'a' }, spec });
const fields = (set: FieldSet): unknown => writeFieldsV1(set);
const spec = (set: FieldSet): unknown => (writeFieldsV1(set) as { 'f:spec'?: unknown })['f:spec'] ?? {};
const parse = (value: JsonObject): FieldSet => parseFieldsV1(structuredClone(value));

t.test('the fields of a value', t => {
  const rows: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ['scalars', { text: 'x', number: 1 }, { 'f:text': {}, 'f:number': {} }],
    ['null', { text: null, labels: null, set: null }, { 'f:text': {}, 'f:labels': {}, 'f:set': {} }],
    ['map keys', { labels: { b: '1', a: '2' } }, { 'f:labels': { 'f:a': {}, 'f:b': {} } }],
    ['empty map', { labels: {}, free: {} }, { 'f:labels': {}, 'f:free': {} }],
    ['keys of maps of objects', { nested: { k: { a: '1' } } }, { 'f:nested': { 'f:k': { '.': {}, 'f:a': {} } } }],
    ['atomic map', { atomicMap: { a: '1' } }, { 'f:atomicMap': {} }],
    ['atomic list', { list: ['a'] }, { 'f:list': {} }],
    ['set', { set: ['b', 'a'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
    ['empty set', { set: [], items: [] }, {}],
    [
      'map list with a default in its key',
      { ports: [{ port: 80 }] },
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    ],
    ['duplicate items', { items: [{ name: 'a' }, { name: 'a' }] }, { 'f:items': { 'k:{"name":"a"}': {} } }],
    ['undeclared', { free: { x: { y: [1] }, z: 1 } }, { 'f:free': { 'f:x': { '.': {}, 'f:y': {} }, 'f:z': {} } }],
    ['nothing declared', { empty: { x: { y: 1 } } }, { 'f:empty': { 'f:x': { '.': {}, 'f:y': {} } } }],
    [
      'embedded resource',
      { template: { kind: 'X', metadata: { finalizers: ['q'], ownerReferences: [{ uid: 'u' }] } } },
      {
        'f:template': {
          'f:kind': {},
          'f:metadata': { 'f:finalizers': { 'v:"q"': {} }, 'f:ownerReferences': { 'k:{"uid":"u"}': {} } },
        },
      },
    ],
  ];
  for (const [name, value, expect] of rows) {
    const set = fieldsOf(of(value), shape);
    t.ok(equalSets(atOnce(fieldsInSteps(of(value), shape)), set), 'in steps');
    t.strictSame(spec(set), parse({ 'f:x': expect }).children ? fields(parse(expect)) : {}, name);
    t.ok(equalSets(namedFieldsOf(of(value), shape), withNamedFields(set, shape)), `${name}: named`);
  }
  t.end();
});

t.test('invalid values have the errors of upstream', t => {
  const rows: readonly (readonly [JsonObject, string | undefined])[] = [
    [{ text: 'x', size: '1', number: 1.5, list: ['a', 'a'], set: ['a'], free: { any: [{}] } }, undefined],
    [{ text: null, ports: null }, undefined],
    [{ bogus: 1 }, '.spec.bogus: field not declared in schema'],
    [{ text: 1 }, '.spec.text: expected string, got &value.valueUnstructured{Value:1}'],
    [
      { text: { a: [true] } },
      '.spec.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{true}}}',
    ],
    [{ number: 'x' }, '.spec.number: expected numeric (int or float), got string'],
    [{ number: {} }, '.spec.number: expected numeric (int or float), got map[string]interface {}'],
    [{ flag: 'x' }, '.spec.flag: expected boolean, got &{x}'],
    [{ list: { a: null } }, '.spec.list: expected list, got &{map[a:<nil>]}'],
    [{ labels: ['a', 1.5] }, '.spec.labels: expected map, got &{[a 1.5]}'],
    [{ labels: { a: 1 } }, '.spec.labels.a: expected string, got &value.valueUnstructured{Value:1}'],
    [{ list: ['a', 1] }, '.spec.list[1]: expected string, got &value.valueUnstructured{Value:1}'],
    [{ set: ['a', 'a'] }, '.spec.set: duplicate entries for key [="a"]'],
    [{ set: [{}] }, ".spec.set: element 0: associative list without keys has an element that's a map type"],
    [{ set: [[]] }, '.spec.set: element 0: not supported: associative list with lists as elements'],
    [{ set: [null] }, ".spec.set: element 0: associative list without keys has an element that's an explicit null"],
    [{ items: [{ name: 'a' }, { name: 'a' }] }, '.spec.items: duplicate entries for key [name="a"]'],
    [
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      { items: [{ value: 'a' }] },
      '.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [{ items: [null] }, '.spec.items: element 0: associative list with keys may not have a null element'],
    [{ items: ['a'] }, '.spec.items: element 0: associative list with keys may not have non-map elements'],
    [
      { items: [{ name: 'a', value: 1 }], number: true },
      'errors:\n  .spec.items[name="a"].value: expected string, got &value.valueUnstructured{Value:1}\n  .spec.number: expected numeric (int or float), got bool',
    ],
  ];
  for (const [value, expect] of rows) {
    t.equal(typedFault(of(value), shape), expect);
    t.equal(atOnce(typedFaultInSteps(of(value), shape)), expect, 'in steps');
  }
  t.equal(typedFault(of({ set: ['a', 'a'], items: [{ name: 'a' }, { name: 'a' }] }), shape, 'allowed'), undefined);
  t.equal(typedFault({ ...of({}), metadata: { labels: 1 } }, shape), '.metadata.labels: expected map, got &{1}');
  t.end();
});

interface Comparison {
  readonly name: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly added?: JsonObject;
  readonly modified?: JsonObject;
  readonly removed?: JsonObject;
}

const comparisons: readonly Comparison[] = [
  { name: 'nothing', before: { text: 'a', list: [{ a: 1 }] }, after: { list: [{ a: 1 }], text: 'a' } },
  { name: 'a scalar', before: { text: 'a' }, after: { text: 'b' }, modified: { 'f:text': {} } },
  { name: 'zero and absent', before: {}, after: { text: '' }, added: { 'f:text': {} } },
  {
    name: 'containers are added with their contents',
    before: {},
    after: { labels: { a: '1' }, set: ['x'] },
    added: { 'f:labels': { '.': {}, 'f:a': {} }, 'f:set': { '.': {}, 'v:"x"': {} } },
  },
  {
    name: 'containers are removed with their contents',
    before: { labels: { a: '1' } },
    after: {},
    removed: { 'f:labels': { '.': {}, 'f:a': {} } },
  },
  {
    name: 'null is a value',
    before: { labels: null },
    after: { labels: { a: '1' } },
    added: { 'f:labels': { 'f:a': {} } },
  },
  { name: 'empty and null differ', before: { labels: null }, after: { labels: {} }, modified: { 'f:labels': {} } },
  { name: 'an atomic list', before: { list: ['a'] }, after: { list: ['a', 'b'] }, modified: { 'f:list': {} } },
  {
    name: 'an atomic map',
    before: { atomicMap: { a: '1' } },
    after: { atomicMap: { b: '1' } },
    modified: { 'f:atomicMap': {} },
  },
  { name: 'the order of a granular list', before: { set: ['a', 'b'] }, after: { set: ['b', 'a'] } },
  {
    name: 'items',
    before: { items: [{ name: 'a', value: '1' }, { name: 'b' }] },
    after: { items: [{ name: 'c' }, { name: 'a', value: '2' }] },
    added: { 'f:items': { 'k:{"name":"c"}': { '.': {}, 'f:name': {} } } },
    modified: { 'f:items': { 'k:{"name":"a"}': { 'f:value': {} } } },
    removed: { 'f:items': { 'k:{"name":"b"}': { '.': {}, 'f:name': {} } } },
  },
  {
    name: 'an item at the same index',
    before: { items: [{ name: 'a', value: '1' }, { name: 'b' }] },
    after: { items: [{ name: 'a', value: '2' }, { name: 'b' }] },
    modified: { 'f:items': { 'k:{"name":"a"}': { 'f:value': {} } } },
  },
  {
    name: 'duplicates are compared as one',
    before: { items: [{ name: 'a' }, { name: 'a', value: '1' }] },
    after: { items: [{ name: 'a' }, { name: 'a', value: '2' }] },
    modified: { 'f:items': { 'k:{"name":"a"}': {} } },
  },
  {
    name: 'duplicates are added',
    before: { items: [{ name: 'a', value: '1' }] },
    after: {
      items: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
      ],
    },
    added: { 'f:items': { 'k:{"name":"a"}': {} } },
    removed: { 'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:value': {} } } },
  },
  {
    name: 'duplicates are removed',
    before: { items: [{ name: 'a' }, { name: 'a', value: '2' }] },
    after: { items: [{ name: 'a', value: '1' }] },
    added: { 'f:items': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:value': {} } } },
    removed: { 'f:items': { 'k:{"name":"a"}': {} } },
  },
  {
    name: 'another form',
    before: { size: 1, free: { a: 'x' } },
    after: { size: '1', free: { a: { b: 1 } } },
    modified: { 'f:free': { 'f:a': {} }, 'f:size': {} },
    added: { 'f:free': { 'f:a': { 'f:b': {} } } },
  },
];

for (const c of comparisons)
  t.test(`comparison: ${c.name}`, t => {
    const [before, after] = [frozen(of(c.before)), frozen(of(c.after))];
    for (const found of [compareTyped(before, after, shape), atOnce(compareInSteps(before, after, shape))])
      for (const part of ['added', 'modified', 'removed'] as const)
        t.strictSame(spec(found[part]), c[part] ? fields(parse(c[part])) : {}, part);
    t.end();
  });

t.test('large values are compared in short steps, with the same result', t => {
  const items = (count: number, value: string) => Array.from({ length: count }, (_, i) => ({ name: `n${i}`, value }));
  const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
  const values: JsonObject[] = [
    {},
    { items: items(4000, 'a') },
    { items: items(4000, 'b').reverse() },
    { items: [...items(3000, 'a'), ...items(2000, 'c')] },
    { labels: labels(6000) },
    { labels: labels(5000), items: items(1, 'a') },
  ];
  for (const before of values)
    for (const after of values) {
      const steps = compareInSteps(of(before), of(after), shape);
      let count = 1;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count++;
      const expected = compareTyped(of(before), of(after), shape);
      for (const part of ['added', 'modified', 'removed'] as const)
        t.ok(equalSets(step.value[part], expected[part]), part);
      t.ok(before === after || count > 3, `${count} steps`);
    }
  t.end();
});

/** Runs steps to their end, and returns their number with the result. */
function counted<T>(steps: InSteps<T>): { readonly count: number; readonly value: T } {
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  return { count, value: step.value };
}

t.test('large values are applied in short steps, with the same result', t => {
  const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `v${from + i}`);
  const items = (count: number, value: string) => Array.from({ length: count }, (_, i) => ({ name: `n${i}`, value }));
  const labels = Object.fromEntries(texts(0, 5000).map(key => [key, 'v']));
  const values: JsonObject[] = [
    { set: texts(0, 5000) },
    { set: texts(2000, 6000).reverse() },
    { set: [...texts(0, 4000), 'v1'] },
    { items: items(4000, 'a') },
    { items: items(5000, 'b') },
    { labels },
    { labels: { ...labels, z: 1 } },
    { text: 'a', set: texts(0, 5000), undeclared: true },
  ];
  for (const applied of values.map(of)) {
    const set = counted(fieldsInSteps(applied, shape));
    t.ok(equalSets(set.value, fieldsOf(applied, shape)));
    t.ok(set.count > 3, `${set.count} steps of its fields`);
    const fault = counted(typedFaultInSteps(applied, shape));
    t.equal(fault.value, typedFault(applied, shape));
    t.ok(fault.count > 3, `${fault.count} steps of its validation`);
    for (const live of values.map(of)) {
      const merged = counted(mergeInSteps(live, applied, shape));
      t.strictSame(merged.value, mergeTyped(live, applied, shape));
    }
    const same = counted(mergeInSteps(structuredClone(applied), applied, shape));
    t.ok(same.count > 3, `${same.count} steps of a merge`);
  }
  const live = of({ set: texts(0, 5000), items: items(4000, 'a') });
  t.equal(atOnce(mergeInSteps(live, structuredClone(live), shape)), live, 'nothing changes: the live value');
  t.end();
});

t.test('values are merged as by upstream', t => {
  const item = (name: string, value?: string): JsonObject => (value === undefined ? { name } : { name, value });
  const rows: readonly (readonly [string, JsonObject, JsonObject, JsonObject])[] = [
    ['scalars', { text: 'a', number: 1 }, { text: 'b' }, { text: 'b', number: 1 }],
    ['maps', { labels: { a: '1' } }, { labels: { b: '2' } }, { labels: { a: '1', b: '2' } }],
    ['null over a map changes nothing', { labels: { a: '1' } }, { labels: null }, { labels: { a: '1' } }],
    ['null over a scalar', { text: 'a' }, { text: null }, { text: null }],
    ['empty over nothing', {}, { labels: {} }, { labels: {} }],
    ['an empty list changes nothing', { items: [item('a')] }, { items: [] }, { items: [item('a')] }],
    [
      'atomic',
      { list: ['a'], atomicMap: { a: '1' } },
      { list: ['b'], atomicMap: { b: '2' } },
      { list: ['b'], atomicMap: { b: '2' } },
    ],
    [
      'items merge',
      { items: [item('a', '1')] },
      { items: [{ name: 'a', tags: ['x'] }] },
      { items: [{ name: 'a', value: '1', tags: ['x'] }] },
    ],
    ['another form', { free: { a: { b: 1 } } }, { free: { a: 'x' } }, { free: { a: 'x' } }],
    ['a set keeps its order', { set: ['b', 'a'] }, { set: ['a'] }, { set: ['b', 'a'] }],
    ['new members at the end', { set: ['a', 'b'] }, { set: ['c'] }, { set: ['a', 'b', 'c'] }],
    ['the applied order wins', { set: ['a', 'b', 'c'] }, { set: ['c', 'a'] }, { set: ['b', 'c', 'a'] }],
    [
      'live items stay where they can',
      { set: ['x', 'a', 'y', 'b'] },
      { set: ['a', 'n', 'b'] },
      { set: ['x', 'a', 'y', 'n', 'b'] },
    ],
    [
      'new items before what they stand before',
      { set: ['a', 'b'] },
      { set: ['n', 'a', 'b'] },
      { set: ['n', 'a', 'b'] },
    ],
    ['reversed', { set: ['a', 'x', 'b', 'y'] }, { set: ['b', 'a'] }, { set: ['x', 'b', 'y', 'a'] }],
    [
      'live duplicates are replaced by what is applied',
      { items: [item('a', '1'), item('x'), item('a', '2')] },
      { items: [item('a', '3')] },
      { items: [item('a', '3'), item('x')] },
    ],
    ['live duplicates stay if nobody applies them', { set: ['a', 'a'] }, { set: ['b'] }, { set: ['a', 'a', 'b'] }],
  ];
  for (const [name, live, applied, expect] of rows)
    for (const merged of [
      mergeTyped(frozen(of(live)), frozen(of(applied)), shape),
      atOnce(mergeInSteps(frozen(of(live)), frozen(of(applied)), shape)),
    ])
      t.strictSame(merged, of(expect), name);
  const live = frozen(of({ labels: { a: '1' }, items: [item('a', '1'), item('b')] }));
  t.equal(
    mergeTyped(live, of({ labels: { a: '1' }, items: [item('b')] }), shape),
    live,
    'nothing changes: the live value',
  );
  const merged = mergeTyped(live, of({ items: [item('b', '2')] }), shape) as typeof live;
  t.equal((merged.spec as JsonObject).labels, (live.spec as JsonObject).labels, 'what does not change is shared');
  t.equal(mergeTyped(live, undefined, shape), live);
  t.equal(mergeTyped(undefined, live, shape), live);
  t.end();
});

t.test('items are removed and extracted', t => {
  const value = frozen(
    of({
      text: 'x',
      labels: { a: '1', b: '2' },
      atomicMap: { a: '1' },
      set: ['a', 'b'],
      items: [{ name: 'a', value: '1', tags: ['q'] }, { name: 'b' }],
    }),
  );
  const rows: readonly (readonly [JsonObject, JsonObject, JsonObject])[] = [
    [{ 'f:text': {} }, { ...(value.spec as JsonObject), text: undefined }, { text: 'x' }],
    [
      { 'f:labels': { 'f:a': {}, 'f:b': {} } },
      { ...(value.spec as JsonObject), labels: {} },
      { labels: { a: '1', b: '2' } },
    ],
    [{ 'f:labels': {} }, { ...(value.spec as JsonObject), labels: undefined }, { labels: {} }],
    [{ 'f:atomicMap': {} }, { ...(value.spec as JsonObject), atomicMap: undefined }, { atomicMap: { a: '1' } }],
    [{ 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }, { ...(value.spec as JsonObject), set: [] }, { set: ['a', 'b'] }],
    [
      { 'f:items': { 'k:{"name":"a"}': { 'f:value': {} }, 'k:{"name":"b"}': {} } },
      { ...(value.spec as JsonObject), items: [{ name: 'a', tags: ['q'] }] },
      { items: [{ name: 'a', value: '1' }, { name: 'b' }].map(i => (i.name === 'a' ? { value: '1' } : i)) },
    ],
    [{ 'f:zz': {} }, value.spec as JsonObject, {}],
  ];
  for (const [items, rest, only] of rows) {
    const set = parse({ 'f:spec': items });
    const defined = JSON.parse(JSON.stringify(rest)) as JsonObject;
    t.strictSame((removeItems(value, set, shape) as JsonObject).spec, defined, JSON.stringify(items));
    const found = extractItems(value, set, shape) as JsonObject;
    t.strictSame(found.spec ?? {}, only, JSON.stringify(items));
  }
  t.equal(removeItems(value, parse({ 'f:zz': {} }), shape), value);
  const odd = of({ items: null, labels: 'x', atomicMap: { a: '1' }, list: ['a'], ports: [{}, { port: 1 }] });
  const below = { 'f:x': {} };
  const all = {
    'f:items': below,
    'f:labels': below,
    'f:atomicMap': below,
    'f:list': below,
    'f:ports': { 'k:{"port":1,"protocol":"TCP"}': {} },
  };
  t.strictSame((removeItems(odd, parse({ 'f:spec': all }), shape) as JsonObject).spec, {
    items: null,
    labels: null,
    atomicMap: {},
    list: [],
    ports: [{}],
  });
  t.strictSame((extractItems(odd, parse({ 'f:spec': all }), shape) as JsonObject).spec, {
    items: null,
    labels: 'x',
    atomicMap: { a: '1' },
    list: ['a'],
    ports: [{ port: 1 }],
  });
  t.end();
});

t.test('sets are adapted to a schema that became atomic', t => {
  const set = parse({
    'f:spec': { 'f:atomicMap': { '.': {}, 'f:a': {} }, 'f:list': { 'v:"a"': {} }, 'f:labels': { 'f:a': {} } },
  });
  const out = reconcileWithSchema(set, shape);
  t.strictSame(fields(out), { 'f:spec': { 'f:atomicMap': {}, 'f:labels': { 'f:a': {} }, 'f:list': {} } });
  t.equal(reconcileWithSchema(out, shape), out);
  t.end();
});

t.test('shapes of native kinds', t => {
  const pod = nativeSchemaFor({ group: '', version: 'v1', kind: 'Pod' });
  if (!pod) throw new Error('Pod');
  const podShape = objectShape(pod);
  const value = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      ownerReferences: [{ uid: 'u', kind: 'K', name: 'n', apiVersion: 'v1' }],
      creationTimestamp: null,
    },
    spec: {
      nodeSelector: { a: 'b' },
      containers: [{ image: 'x', resources: { limits: { cpu: 1 } }, ports: [{ containerPort: 80 }], command: ['a'] }],
      volumes: [{ name: 'v', configMap: { items: [{ key: 'k', path: 'p' }] } }],
    },
  };
  t.equal(typedFault(value, podShape), undefined, 'the name of a container has the default ""');
  t.strictSame(writeFieldsV1(fieldsOf(value, podShape))['f:spec'], {
    'f:containers': {
      'k:{"name":""}': {
        '.': {},
        'f:command': {},
        'f:image': {},
        'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
        'f:resources': { 'f:limits': { 'f:cpu': {} } },
      },
    },
    'f:nodeSelector': {},
    'f:volumes': { 'k:{"name":"v"}': { '.': {}, 'f:configMap': { 'f:items': {} }, 'f:name': {} } },
  });
  t.equal(
    typedFault({ ...value, spec: { containers: [{ name: 'c', imagee: 'x' }] } }, podShape),
    '.spec.containers[name="c"].imagee: field not declared in schema',
  );
  const crd = nativeSchemaFor({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' });
  if (!crd) throw new Error('CustomResourceDefinition');
  const open = {
    type: 'object',
    default: { a: [1] },
    properties: { a: { items: { type: 'string' }, additionalProperties: false } },
  };
  const definition = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: open } }] } };
  t.equal(typedFault(definition, objectShape(crd)), undefined, 'types that write themselves may be anything');
  t.end();
});
