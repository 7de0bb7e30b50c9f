/** Shapes of custom resources, and their CustomResourceDefinition. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { customKind, listMap, object, set, text, version, whole } from '../../custom-kinds.js';
import { inGroup, mapOf, metadata, type Shape, times } from './shape.js';

const item = object({ x: text, y: { ...text, default: 'd' }, n: whole });
const branches = [object({ x: { type: 'string' } }), object({ z: whole })];

/** The CustomResourceDefinition of all shapes in this file. */
export const largeKind = customKind('Large', [
  version(
    'v1',
    object({
      spec: object({
        map: { type: 'object', additionalProperties: text },
        structs: { type: 'object', additionalProperties: item },
        list: { type: 'array', items: item },
        items: listMap(['name'], { name: text, value: text, y: { ...text, default: 'd' } }),
        pair: listMap(['port', 'protocol'], { port: whole, protocol: { ...text, default: 'TCP' } }),
        tags: set(text),
        wholes: set(whole),
        unique: { type: 'array', uniqueItems: false, items: text },
        pattern: { type: 'array', items: { type: 'string', pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' } },
        enumerated: { type: 'array', items: { type: 'string', enum: Array.from({ length: 100 }, (_, i) => `e${i}`) } },
        any: { type: 'array', items: { ...item, anyOf: branches.map(branch => ({ properties: branch.properties })) } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        tree: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { leaf: text } },
        objects: {
          type: 'array',
          items: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
        small: text,
      }),
    }),
  ),
]);

const larges = { collection: inGroup('example.com/v1', 'larges'), native: false, small: { spec: { small: 'x' } } };
const large = (spec: object): KubeObject => ({ apiVersion: 'example.com/v1', kind: 'Large', metadata, spec });

export const customShapes: readonly Shape[] = [
  {
    name: 'custom/map',
    ...larges,
    make: n =>
      large({
        map: mapOf(
          n,
          i => `k${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'custom/map of numbers',
    ...larges,
    make: n =>
      large({
        map: mapOf(
          n,
          i => `k${i}`,
          i => i,
        ),
      }),
  },
  {
    name: 'custom/structs',
    ...larges,
    make: n =>
      large({
        structs: mapOf(
          n,
          i => `k${i}`,
          i => ({ n: i }),
        ),
      }),
  },
  { name: 'custom/list', ...larges, make: n => large({ list: times(n, i => ({ x: `x${i}` })) }) },
  { name: 'custom/list of empty', ...larges, make: n => large({ list: times(n, () => ({})) }) },
  { name: 'custom/list map', ...larges, make: n => large({ items: times(n, i => ({ name: `x${i}` })) }) },
  { name: 'custom/list map, same', ...larges, make: n => large({ items: times(n, () => ({ name: 'x' })) }) },
  { name: 'custom/list map, two keys', ...larges, make: n => large({ pair: times(n, i => ({ port: i })) }) },
  { name: 'custom/set', ...larges, make: n => large({ tags: times(n, i => `t${i}`) }) },
  { name: 'custom/set, same', ...larges, make: n => large({ tags: times(n, () => 't') }) },
  { name: 'custom/set of numbers', ...larges, make: n => large({ wholes: times(n, i => i) }) },
  { name: 'custom/atomic list', ...larges, make: n => large({ unique: times(n, i => `t${i}`) }) },
  { name: 'custom/bad atomic list', ...larges, make: n => large({ unique: times(n, i => i) }) },
  { name: 'custom/pattern', ...larges, make: n => large({ pattern: times(n, i => `t${i}`) }) },
  { name: 'custom/bad pattern', ...larges, make: n => large({ pattern: times(n, i => `-${i}`) }) },
  { name: 'custom/long pattern', ...larges, make: n => large({ pattern: ['a'.repeat(n)] }) },
  { name: 'custom/long bad pattern', ...larges, make: n => large({ pattern: [`${'a'.repeat(n)}-`] }) },
  { name: 'custom/enum', ...larges, make: n => large({ enumerated: times(n, i => `e${i % 100}`) }) },
  { name: 'custom/bad enum', ...larges, make: n => large({ enumerated: times(n, i => `x${i}`) }) },
  { name: 'custom/any of', ...larges, make: n => large({ any: times(n, i => ({ x: `x${i}` })) }) },
  {
    name: 'custom/free',
    ...larges,
    make: n =>
      large({
        free: mapOf(
          n,
          i => `k${i}`,
          () => ({}),
        ),
      }),
  },
  { name: 'custom/free list', ...larges, make: n => large({ free: { list: times(n, () => []) } }) },
  { name: 'custom/free numbers', ...larges, make: n => large({ free: { list: times(n, i => i) } }) },
  { name: 'custom/free floats', ...larges, make: n => large({ free: { list: times(n, i => i + 0.5) } }) },
  { name: 'custom/free deep', ...larges, make: n => large({ free: { list: times(n, () => [[[[[[[[]]]]]]]]) } }) },
  {
    name: 'custom/unknown fields',
    ...larges,
    make: n =>
      large(
        mapOf(
          n,
          i => `u${i}`,
          () => 'v',
        ),
      ),
  },
  { name: 'custom/unknown in list', ...larges, make: n => large({ list: times(n, i => ({ u: i })) }) },
  {
    name: 'custom/embedded',
    ...larges,
    make: n => large({ objects: times(n, i => ({ apiVersion: 'v1', kind: 'K', metadata: { name: `n${i}` } })) }),
  },
  { name: 'custom/bad embedded', ...larges, make: n => large({ objects: times(n, () => ({})) }) },
];
