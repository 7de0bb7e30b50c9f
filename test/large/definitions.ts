/** CustomResourceDefinitions with large or hostile schemas, and objects that they validate. */
import { customKind, object, text, version, whole } from '../custom-kinds.js';

interface Definition {
  readonly name: string;
  readonly definition: object;
  /** Specs of objects of the kind. */
  readonly specs: readonly object[];
}

const times = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const mapOf = <T>(count: number, value: (i: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, i => [`p${i}`, value(i)]));

function nested(depth: number, leaf: object, wrap: (inner: object) => object): object {
  let schema = leaf;
  for (let i = 0; i < depth; i++) schema = wrap(schema);
  return schema;
}

const specOf = (spec: object, more: object = {}): object => version('v1', object({ spec }, more));
const names = { plural: 'nasties', kind: 'Nasty' };
const kind = (spec: object, more: object = {}): object => customKind('Nasty', [specOf(spec, more)], { names });
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more });

/** Returns the definitions. `size`: the approximate number of parts of each. */
export const definitions = (size: number): readonly Definition[] => [
  {
    name: 'properties',
    definition: kind(object(mapOf(size, () => text))),
    specs: [mapOf(size, () => 'x'), mapOf(size, () => 1), {}],
  },
  {
    name: 'properties with defaults',
    definition: kind(object(mapOf(size, i => ({ ...text, default: `d${i}` })))),
    specs: [{}, mapOf(size, () => 'x')],
  },
  {
    name: 'properties with patterns',
    definition: kind(object(mapOf(size / 4, i => ({ ...text, pattern: `^a{1,${(i % 900) + 1}}[b-y]*z?$` })))),
    specs: [mapOf(size / 4, () => 'ab'), mapOf(size / 4, () => 'x')],
  },
  {
    name: 'rules',
    definition: kind(
      object(
        mapOf(size / 4, () => ({ ...text, maxLength: 10, 'x-kubernetes-validations': [{ rule: "self != 'x'" }] })),
      ),
    ),
    specs: [mapOf(size / 4, () => 'y'), mapOf(size / 4, () => 'x')],
  },
  {
    name: 'rules at one place',
    definition: kind(
      object({ a: text }, { 'x-kubernetes-validations': times(size / 4, i => ({ rule: `self.a != 'x${i}'` })) }),
    ),
    specs: [{ a: 'y' }, { a: 'x1' }],
  },
  {
    name: 'required',
    definition: kind(
      object(
        mapOf(size / 2, () => text),
        { required: times(size / 2, i => `p${i}`) },
      ),
    ),
    specs: [{}],
  },
  {
    name: 'enum',
    definition: kind(object({ e: { ...text, enum: times(size, i => `e${i}`) } })),
    specs: [{ e: 'x' }, { e: 'e7' }],
  },
  {
    name: 'enum in list',
    definition: kind(object({ e: list({ ...text, enum: times(size, i => `e${i}`) }) })),
    specs: [{ e: times(20000, i => `x${i}`) }, { e: times(20000, () => `e${size - 1}`) }],
  },
  {
    name: 'enum of objects',
    definition: kind(object({ e: list({ ...object({ a: text }), enum: times(size / 2, i => ({ a: `e${i}` })) }) })),
    specs: [{ e: times(20000, () => ({ a: 'e1' })) }],
  },
  {
    name: 'any of',
    definition: kind({ ...object({ a: text }), anyOf: times(size / 2, () => ({ required: ['b'] })) }),
    specs: [{ a: 'x' }],
  },
  {
    name: 'any of in list',
    definition: kind(
      object({ l: list({ ...object({ a: text }), anyOf: times(size / 20, () => ({ required: ['b'] })) }) }),
    ),
    specs: [{ l: times(20000, () => ({ a: 'x' })) }],
  },
  {
    name: 'one of in list',
    definition: kind(
      object({
        l: list({
          ...object({ a: text }),
          oneOf: times(size / 20, i => ({ properties: { a: { pattern: `^x{${(i % 100) + 2}}$` } } })),
        }),
      }),
    ),
    specs: [{ l: times(20000, () => ({ a: 'xxx' })) }],
  },
  {
    name: 'junctors in junctors',
    definition: kind({
      ...object({ a: text }),
      ...nested(200, { required: ['b'] }, inner => ({
        anyOf: [inner, { required: ['c'] }],
        not: { allOf: [{ required: ['d'] }] },
      })),
    }),
    specs: [{ a: 'x' }],
  },
  {
    name: 'nots',
    definition: kind({
      ...object({ a: text }),
      ...nested(150, { required: ['b'] }, inner => ({
        not: inner,
        oneOf: [{ not: { required: ['x'] } }, { required: ['y'] }],
      })),
    }),
    specs: [{ a: 'x' }],
  },
  {
    name: 'deep objects',
    definition: kind(nested(150, object({ a: text }), inner => object({ a: inner, b: { ...text, default: 'x' } }))),
    specs: [{}],
  },
  {
    name: 'deep lists',
    definition: kind(object({ l: nested(20, text, inner => list(inner)) })),
    specs: [{ l: nested(19, [], inner => times(1, () => inner)) }],
  },
  {
    name: 'large default',
    definition: kind(
      object({
        a: {
          ...list(object({ x: text, y: { ...text, default: 'd' } })),
          default: times(size / 4, i => ({ x: `x${i}` })),
        },
      }),
    ),
    specs: [{}],
  },
  {
    name: 'default in items',
    definition: kind(object({ l: list(object({ d: { ...list(text), default: times(200, i => `x${i}`) } })) })),
    specs: [{ l: times(20000, () => ({})) }],
  },
  {
    name: 'long description',
    definition: kind(object({ a: { ...text, description: 'x'.repeat(size * 50) } })),
    specs: [{ a: 'x' }],
  },
  { name: 'bad properties', definition: kind(object(mapOf(size, () => ({ type: 'nothing', items: {} })))), specs: [] },
  { name: 'bad defaults', definition: kind(object(mapOf(size / 2, () => ({ ...whole, default: 'x' })))), specs: [] },
  {
    name: 'columns',
    definition: customKind(
      'Nasty',
      [
        {
          ...specOf(object({ a: text })),
          additionalPrinterColumns: times(size / 8, i => ({ name: `c${i}`, type: 'string', jsonPath: '.spec.a' })),
        },
      ],
      { names },
    ),
    specs: [{ a: 'x' }],
  },
  {
    name: 'recursive columns',
    definition: customKind(
      'Nasty',
      [
        {
          ...specOf(object({ l: list(text) })),
          additionalPrinterColumns: times(20, i => ({ name: `c${i}`, type: 'string', jsonPath: '..' })),
        },
      ],
      { names },
    ),
    specs: [{ l: times(20000, i => `x${i}`) }],
  },
  {
    name: 'selectable fields',
    definition: customKind(
      'Nasty',
      [
        {
          ...specOf(object(mapOf(size / 8, () => text))),
          selectableFields: times(size / 8, i => ({ jsonPath: `.spec.p${i}` })),
        },
      ],
      { names },
    ),
    specs: [{}],
  },
  {
    name: 'short names',
    definition: customKind('Nasty', [specOf(object({ a: text }))], {
      names: { ...names, shortNames: times(size / 2, i => `s${i}`) },
    }),
    specs: [{}],
  },
  {
    name: 'categories',
    definition: customKind('Nasty', [specOf(object({ a: text }))], {
      names: { ...names, categories: times(size / 2, i => `s${i}`) },
    }),
    specs: [{}],
  },
  {
    name: 'versions',
    definition: customKind(
      'Nasty',
      times(Math.min(500, size / 20), i => ({ ...specOf(object({ a: text })), name: `v${i + 1}`, storage: i === 0 })),
      { names },
    ),
    specs: [{}],
  },
  {
    name: 'repeats',
    definition: kind(object({ a: { ...text, pattern: '^(a?){1000}a{1000}$' } })),
    specs: [{ a: 'a'.repeat(1000) }, { a: 'a'.repeat(100000) }],
  },
  {
    name: 'alternatives',
    definition: kind(object({ a: { ...text, pattern: `^(${times(size * 2, i => `a${i}`).join('|')})$` } })),
    specs: [{ a: 'a5' }, { a: 'a'.repeat(100000) }],
  },
  {
    name: 'list of sets',
    definition: kind(
      object({
        l: list(list(object({ a: text }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] })),
      }),
    ),
    specs: [{ l: times(10000, () => [{ a: 'x' }, { a: 'x' }]) }],
  },
];
