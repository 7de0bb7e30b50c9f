/** Operations on large sets of fields in steps have the results of those at once. */
import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import {
  reconcileInSteps,
  reconcileWithSchema,
  withNamedFields,
  withNamedFieldsInSteps,
} from '../../../../apimachinery/patch/typed/field-set-schema.js';
import {
  difference,
  emptySet,
  equalSets,
  fieldPathsOf,
  intersection,
  leafSet,
  unionOf,
  unionOfSets,
  type FieldSet,
} from '../../../../apimachinery/patch/typed/field-set.js';
import {
  differenceInSteps,
  intersectionInSteps,
  newStrides,
  unionInSteps,
  unionOfInSteps,
} from '../../../../apimachinery/patch/typed/field-set-steps.js';
import {
  parseFieldsV1,
  parseInSteps,
  writeFieldsV1,
  writeSteps,
} from '../../../../apimachinery/patch/typed/fields-v1.js';
import type { Schema } from '../../../../apimachinery/codec/interface.js';
import { objectShape } from '../../../../apimachinery/patch/typed/shape.js';
import { namedFieldsOf } from '../../../../apimachinery/patch/typed/typed-fields.js';
import { namedFieldsInSteps } from '../../../../apimachinery/patch/typed/typed-fields-steps.js';
import { removeItems, removeItemsInSteps } from '../../../../apimachinery/patch/typed/typed-items.js';
import { atOnce, type InSteps, Strides } from '../../../../lib/time-slice.js';
import { countedSteps } from '../../../counted-steps.js';
import { random as randomOf, type Random } from '../../../random.js';
import { frozen } from '../support.js';

/** Large values are compared as texts, which takes a small part of the time of `strictSame`. */
const jsonOf = (value: unknown): string => JSON.stringify(value);

const text = (set: FieldSet): string => JSON.stringify(writeFieldsV1(set));

/** Returns fieldsV1 of some thousand elements, of which two sets share about half. */
function randomFields(random: Random, size: number, depth = 2): JsonObject {
  const out: JsonObject = {};
  for (let i = 0; i < size; i++) {
    if (random.chance(0.5)) continue;
    const element = [`f:k${i}`, `v:"v${i}"`, `k:{"a":${i},"b":"x"}`][i % 3] ?? '';
    const below = depth > 0 && random.chance(0.1) ? randomFields(random, 20, depth - 1) : {};
    out[element] = random.chance(0.3) ? { '.': {}, ...below } : below;
  }
  return out;
}

t.test('sets are combined', t => {
  const random = randomOf(3);
  const fieldsOf = (): JsonObject => ({ 'f:a': randomFields(random, 6000), 'f:b': randomFields(random, 30) });
  for (let round = 0; round < 4; round++) {
    const [x, y, z] = [parseFieldsV1(fieldsOf()), parseFieldsV1(fieldsOf()), parseFieldsV1({ 'f:a': {}, 'f:c': {} })];
    const rows: readonly (readonly [string, InSteps<FieldSet>, FieldSet])[] = [
      ['union', unionInSteps(x, y), unionOfSets(x, y)],
      ['difference', differenceInSteps(x, y), difference(x, y)],
      ['intersection', intersectionInSteps(x, y), intersection(x, y)],
      ['union of three', unionOfInSteps([x, y, z]), unionOf([x, y, z])],
      ['union with few', unionInSteps(x, z), unionOfSets(x, z)],
    ];
    for (const [name, steps, expected] of rows) {
      const { count, value } = countedSteps(steps);
      if (!equalSets(value, expected) || text(value) !== text(expected)) t.fail(`${name} in round ${round}`);
      if (name !== 'union with few' && count < 3) t.fail(`${name}: ${count} steps`);
    }
    const part = intersection(x, y);
    t.equal(atOnce(unionInSteps(x, part)), x, 'a union that adds nothing is the set itself');
    t.equal(atOnce(intersectionInSteps(x, unionOfSets(x, y))), x, 'an intersection that removes nothing, too');
    t.equal(atOnce(differenceInSteps(x, parseFieldsV1({ 'f:a': { 'f:zz': { 'f:a': {} } } }))), x, 'and a difference');
  }
  const [large] = [parseFieldsV1({ 'f:a': randomFields(random, 3000) })];
  t.equal(atOnce(differenceInSteps(large, large)), emptySet);
  t.equal(atOnce(differenceInSteps(large, parseFieldsV1(structuredClone(writeFieldsV1(large))))), emptySet);
  t.equal(atOnce(intersectionInSteps(large, parseFieldsV1({ 'f:b': { 'f:c': {} } }))), emptySet);
  t.equal(atOnce(unionInSteps(emptySet, large)), large);
  t.equal(atOnce(unionOfInSteps([])), emptySet);
  t.ok(equalSets(atOnce(unionInSteps(leafSet, large)), unionOfSets(leafSet, large)), 'with the field itself');
  t.end();
});

t.test('a union of many small sets is divided', t => {
  const sets = Array.from({ length: 5000 }, (_, i) => parseFieldsV1({ 'f:a': { [`f:k${i}`]: {} } }));
  const { count, value } = countedSteps(unionOfInSteps(sets));
  t.equal(value.children?.get('f:a')?.children?.size, 5000);
  t.ok(count > 5, `${count} steps`);
  t.end();
});

t.test('fieldsV1 is parsed and written', t => {
  const random = randomOf(4);
  for (let round = 0; round < 3; round++) {
    const fields: JsonObject = { 'f:a': randomFields(random, 5000), 'f:b': randomFields(random, 100) };
    const { count, value } = countedSteps(parseInSteps(fields, newStrides()));
    const expected = parseFieldsV1(structuredClone(fields));
    t.ok(equalSets(value, expected));
    t.ok(count > 2, `${count} steps`);
    t.equal(atOnce(parseInSteps(fields, newStrides())), value, 'it is read once');
    t.equal(parseFieldsV1(fields), value);
    atOnce(writeSteps(value, newStrides()));
    t.equal(text(value), text(expected));
    const written = frozen(structuredClone(writeFieldsV1(value)));
    t.equal(writeFieldsV1(atOnce(parseInSteps(written, newStrides()))), written, 'and is written as it was read');
  }
  t.throws(() => atOnce(parseInSteps({ 'f:a': randomFields(random, 3000), x: {} }, newStrides())), /must be 2 char/);
  t.throws(() => atOnce(parseInSteps({ 'f:a': 1 }, newStrides())), /expected an object below f:a/);
  t.equal(atOnce(parseInSteps({ '.': {} }, newStrides())), emptySet, 'the root is never in a set');
  t.end();
});

t.test('fieldsV1 that is not in the canonical form is written anew', t => {
  const rows: readonly (readonly [JsonObject, string])[] = [
    [{ 'f:a': { '.': {} } }, '{"f:a":{}}'],
    [{ 'f:a': { 'z:new': {} } }, '{"f:a":{}}'],
    [{ 'f:a': { 'f:b': {}, '.': {} } }, '{"f:a":{".":{},"f:b":{}}}'],
    [{ 'f:b': {}, 'f:a': {} }, '{"f:a":{},"f:b":{}}'],
    [{ '.': {}, 'f:a': {} }, '{"f:a":{}}'],
  ];
  for (const [fields, expected] of rows) {
    t.equal(text(parseFieldsV1(structuredClone(fields))), expected);
    t.equal(text(atOnce(parseInSteps(structuredClone(fields), new Strides(1)))), expected, 'in steps');
  }
  t.end();
});

t.test('the fields of a written set are listed in the same order', t => {
  const fields = { 'f:b': { 'v:2': {}, 'f:c': {}, '.': {} }, 'f:a': randomFields(randomOf(5), 300) };
  const [fresh, written] = [parseFieldsV1(structuredClone(fields)), parseFieldsV1(structuredClone(fields))];
  writeFieldsV1(written);
  t.strictSame([...fieldPathsOf(written)], [...fieldPathsOf(fresh)]);
  t.end();
});

const string: Schema = { type: 'string' };
const keyed: Schema = { type: 'object', properties: { name: string, value: string } };
const list: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: keyed,
};
const shape = objectShape({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        items: list,
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: string },
        labels: { type: 'object', additionalProperties: string },
        groups: { type: 'object', additionalProperties: keyed },
        atomics: { type: 'object', additionalProperties: { ...keyed, 'x-kubernetes-map-type': 'atomic' } },
        atomic: { type: 'array', items: string },
      },
    },
  },
});

const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `n${from + i}`);
const entries = (from: number, to: number, make: (name: string) => unknown): JsonObject =>
  Object.fromEntries(names(from, to).map(name => [name, make(name)]));

/** Returns large objects, which have some items in common. */
const objects: readonly JsonObject[] = [
  { items: names(0, 3000).map(name => ({ name, value: 'a' })) },
  { items: names(1000, 4000).map(name => ({ name, value: 'b' })), set: names(0, 10) },
  { set: names(0, 5000), labels: entries(0, 2000, () => 'v') },
  { labels: entries(1000, 4000, () => 'w'), atomic: names(0, 5000), set: [] },
  { groups: entries(0, 2000, name => ({ name, value: 'v' })), atomics: entries(0, 3000, name => ({ name })) },
  { groups: entries(1000, 1500, name => ({ name })), labels: {}, items: null },
].map(spec => frozen({ apiVersion: 'ex.io/v1', kind: 'Foo', metadata: { name: 'a' }, spec }));

t.test('fields are computed by schema, and removed', t => {
  for (const object of objects) {
    const named = countedSteps(namedFieldsInSteps(object, shape));
    t.ok(equalSets(named.value, namedFieldsOf(object, shape)));
    t.ok(named.count > 1 || (object.spec as JsonObject).items === null, `${named.count} steps`);
    const leaves = parseFieldsV1(writeFieldsV1(named.value));
    const above = countedSteps(withNamedFieldsInSteps(leaves, shape));
    t.ok(equalSets(above.value, withNamedFields(leaves, shape)));
    t.equal(atOnce(withNamedFieldsInSteps(leafSet, shape)), leafSet);
    for (const other of objects) {
      for (const items of [
        namedFieldsOf(other, shape),
        difference(namedFieldsOf(other, shape), namedFieldsOf(objects[0], shape)),
      ])
        t.equal(jsonOf(atOnce(removeItemsInSteps(object, items, shape))), jsonOf(removeItems(object, items, shape)));
    }
  }
  const [first] = objects;
  const few = parseFieldsV1({ 'f:spec': { 'f:items': { 'k:{"name":"n7"}': { 'f:value': {} } } } });
  const removed = countedSteps(removeItemsInSteps(first, few, shape));
  t.equal(jsonOf(removed.value), jsonOf(removeItems(first, few, shape)));
  t.ok(removed.count > 2, `${removed.count} steps`);
  const none = parseFieldsV1({ 'f:spec': { 'f:labels': { 'f:zz': {} } } });
  t.equal(jsonOf(atOnce(removeItemsInSteps(objects[2], none, shape))), jsonOf(objects[2]));
  t.equal(atOnce(removeItemsInSteps(first, parseFieldsV1({ 'f:zz': {} }), shape)), first, 'nothing is removed');
  t.end();
});

t.test('large sets are adapted to a schema that became atomic', t => {
  const group = { '.': {}, 'f:name': {} };
  const elements = (make: (name: string) => string, below: JsonObject): JsonObject =>
    Object.fromEntries(names(0, 3000).map(name => [make(name), below]));
  const fields = {
    'f:spec': {
      'f:atomics': elements(name => `f:${name}`, group),
      'f:groups': elements(name => `f:${name}`, group),
      'f:atomic': { 'v:"a"': {} },
    },
  };
  const [set, same] = [parseFieldsV1(fields), parseFieldsV1(structuredClone(fields))];
  const { count, value } = countedSteps(reconcileInSteps(set, shape));
  const expected = reconcileWithSchema(same, shape);
  t.equal(text(value), text(expected));
  t.not(text(value), text(set));
  t.ok(count > 3, `${count} steps`);
  t.equal(atOnce(reconcileInSteps(value, shape)), value, 'a set is adapted once');
  const conforming = parseFieldsV1({ 'f:spec': { 'f:groups': elements(name => `f:${name}`, group) } });
  t.equal(atOnce(reconcileInSteps(conforming, shape)), conforming);
  t.end();
});
