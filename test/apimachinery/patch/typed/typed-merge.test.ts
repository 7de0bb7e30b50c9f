/** Values of a schema are merged; items are removed and extracted. */
import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { equalSets } from '../../../../apimachinery/patch/typed/field-set.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { fieldsOf } from '../../../../apimachinery/patch/typed/typed-fields.js';
import { fieldsInSteps } from '../../../../apimachinery/patch/typed/typed-fields-steps.js';
import { extractItems, removeItems } from '../../../../apimachinery/patch/typed/typed-items.js';
import { mergeInSteps, mergeTyped } from '../../../../apimachinery/patch/typed/typed-merge.js';
import { typedFault, typedFaultInSteps } from '../../../../apimachinery/patch/typed/typed-validate.js';
import { countedSteps } from '../../../counted-steps.js';
import { frozen } from '../support.js';
import { of, parse, shape } from './typed-fixture.js';

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
    const set = countedSteps(fieldsInSteps(applied, shape));
    t.ok(equalSets(set.value, fieldsOf(applied, shape)));
    t.ok(set.count > 3, `${set.count} steps of its fields`);
    const fault = countedSteps(typedFaultInSteps(applied, shape));
    t.equal(fault.value, typedFault(applied, shape));
    t.ok(fault.count > 3, `${fault.count} steps of its validation`);
    for (const live of values.map(of)) {
      const merged = countedSteps(mergeInSteps(live, applied, shape));
      t.strictSame(merged.value, mergeTyped(live, applied, shape));
    }
    const same = countedSteps(mergeInSteps(structuredClone(applied), applied, shape));
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
