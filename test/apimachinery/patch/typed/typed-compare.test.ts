/** What differs between two values of a schema, as sets of fields. */
import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { equalSets } from '../../../../apimachinery/patch/typed/field-set.js';
import { compareTyped } from '../../../../apimachinery/patch/typed/typed-compare.js';
import { compareInSteps } from '../../../../apimachinery/patch/typed/typed-compare-steps.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { frozen } from '../support.js';
import { fields, of, parse, shape, spec } from './typed-fixture.js';

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
