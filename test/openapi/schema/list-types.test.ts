import t from 'tap';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { listTypeFaults } from '../../../openapi/schema/list-types.js';

t.test('duplicates in sets and list maps are found', async t => {
  const set: Schema = { type: 'array', 'x-kubernetes-list-type': 'set' };
  const map: Schema = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] };
  const all: Schema = { type: 'object', properties: { set, map, in: { type: 'object', additionalProperties: set } } };
  const found = (value: object): string[] => listTypeFaults(value, all).map(f => `${f.path}: ${f.message}`);
  t.same(found({ set: ['x', 'y', 'x', 'x', { b: 1, a: 2 }, { a: 2, b: 1 }] }), [
    'set[2]: Duplicate value: "x"',
    'set[5]: Duplicate value: {"a":2,"b":1}',
  ]);
  t.same(found({ map: [{ a: 1, b: 2 }, { b: 2, a: 1, c: 3 }, { a: 1 }] }), ['map[1]: Duplicate value: {"a":1,"b":2}']);
  t.same(found({ map: ['x'] }), ['map[0]: Invalid value: "x": must be an object for an array of list-type map']);
  t.same(found({ in: { k: [1, 1] } }), ['in[k][1]: Duplicate value: 1']);
});
