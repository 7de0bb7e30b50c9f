/** Sequences of applies by several managers, and their results, after the tests of structured-merge-diff. */

import { customKind, listMap, object, set, text, version, whole } from '../custom-kinds.js';

const tags = set(text);
const map = { type: 'object', additionalProperties: text };
const properties = {
  a: text,
  b: text,
  number: { ...whole, default: 3 },
  struct: { ...object({ x: text, y: text }) },
  atomicStruct: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { x: text, y: text } },
  list: { type: 'array', items: text },
  set: tags,
  map,
  atomicMap: { ...map, 'x-kubernetes-map-type': 'atomic' },
  items: listMap(['name'], { name: text, x: text, y: { ...text, default: 'd' }, tags, labels: map }),
  keyed: listMap(['port', 'protocol'], { port: whole, protocol: { ...text, default: 'TCP' }, x: text }),
  nested: listMap(['name'], { name: text, inner: listMap(['name'], { name: text, x: text, y: text }) }),
  sets: { type: 'object', additionalProperties: tags },
  maps: { type: 'object', additionalProperties: map },
};

export const crd = customKind('Foo', [version('v1', object({ spec: object(properties) }))]);

/** An apply by `manager`, with force by `manager!`, or a merge patch by `manager=`. */
type Step = readonly [manager: string, spec: object];

interface Turn {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The spec after the last step, or the message with which the last step is refused. */
  readonly expect: object | string;
}

const conflict = (manager: string, field: string): string =>
  `Apply failed with 1 conflict: conflict with "${manager}": .spec.${field}`;

export const turns: readonly Turn[] = [
  {
    name: 'a value changes',
    steps: [
      ['m', { a: '1' }],
      ['m', { a: '2' }],
    ],
    expect: { a: '2', number: 3 },
  },
  {
    name: 'a value is removed',
    steps: [
      ['m', { a: '1', b: '1' }],
      ['m', { b: '1' }],
    ],
    expect: { b: '1', number: 3 },
  },
  {
    name: 'a default is restored',
    steps: [
      ['m', { number: 5 }],
      ['m', { a: '1' }],
    ],
    expect: { a: '1', number: 3 },
  },
  {
    name: 'another manager applies the same value',
    steps: [
      ['m', { a: '1' }],
      ['n', { a: '1' }],
      ['m', {}],
    ],
    expect: { a: '1', number: 3 },
  },
  {
    name: 'another manager applies another value',
    steps: [
      ['m', { a: '1' }],
      ['n', { a: '2' }],
    ],
    expect: conflict('m', 'a'),
  },
  {
    name: 'another manager forces another value',
    steps: [
      ['m', { a: '1' }],
      ['n!', { a: '2' }],
      ['m', { a: '1' }],
    ],
    expect: conflict('n', 'a'),
  },
  {
    name: 'a forced value is released',
    steps: [
      ['m', { a: '1' }],
      ['n!', { a: '2' }],
      ['m', {}],
    ],
    expect: { a: '2', number: 3 },
  },
  {
    name: 'a patched field is owned',
    steps: [
      ['m', { a: '1' }],
      ['u=', { a: '2' }],
      ['m', { a: '1' }],
    ],
    expect: `Apply failed with 1 conflict: conflict with "u" using example.com/v1: .spec.a`,
  },
  {
    name: 'a patched field is kept',
    steps: [
      ['m', { items: [{ name: 'p' }] }],
      ['u=', { items: [{ name: 'p' }, { name: 'q' }] }],
      ['m', { items: [{ name: 'p', x: '1' }] }],
    ],
    expect: {
      items: [
        { name: 'p', x: '1', y: 'd' },
        { name: 'q', y: 'd' },
      ],
      number: 3,
    },
  },
  {
    name: 'parts of a struct',
    steps: [
      ['m', { struct: { x: '1' } }],
      ['n', { struct: { y: '2' } }],
      ['m', {}],
    ],
    expect: { number: 3, struct: { y: '2' } },
  },
  {
    name: 'an atomic struct has one owner',
    steps: [
      ['m', { atomicStruct: { x: '1' } }],
      ['n', { atomicStruct: { y: '2' } }],
    ],
    expect: conflict('m', 'atomicStruct'),
  },
  {
    name: 'an atomic list has one owner',
    steps: [
      ['m', { list: ['1'] }],
      ['n', { list: ['1', '2'] }],
    ],
    expect: conflict('m', 'list'),
  },
  {
    name: 'an atomic list is forced',
    steps: [
      ['m', { list: ['1'] }],
      ['n!', { list: ['2'] }],
      ['m', {}],
    ],
    expect: { list: ['2'], number: 3 },
  },
  {
    name: 'a map is shared by keys',
    steps: [
      ['m', { map: { k: '1', l: '1' } }],
      ['n', { map: { q: '2' } }],
      ['m', { map: { l: '1' } }],
    ],
    expect: { map: { l: '1', q: '2' }, number: 3 },
  },
  {
    name: 'an atomic map has one owner',
    steps: [
      ['m', { atomicMap: { k: '1' } }],
      ['n', { atomicMap: { k: '1', l: '2' } }],
    ],
    expect: conflict('m', 'atomicMap'),
  },
  {
    name: 'members of a set',
    steps: [
      ['m', { set: ['a', 'b'] }],
      ['n', { set: ['b', 'c'] }],
      ['m', { set: ['a'] }],
    ],
    expect: { number: 3, set: ['a', 'b', 'c'] },
  },
  {
    name: 'a member of a set is removed with its last owner',
    steps: [
      ['m', { set: ['a', 'b'] }],
      ['n', { set: ['b'] }],
      ['m', {}],
      ['n', {}],
    ],
    expect: { number: 3 },
  },
  {
    name: 'a duplicate member of a set',
    steps: [['m', { set: ['a', 'a'] }]],
    expect: /\.spec\.set: duplicate entries for key \[="a"\]$/.source,
  },
  {
    name: 'an item with two owners',
    steps: [
      ['m', { items: [{ name: 'p', x: '1' }] }],
      ['n', { items: [{ name: 'p', tags: ['t'] }] }],
      ['m', { items: [] }],
    ],
    expect: { items: [{ name: 'p', tags: ['t'], y: 'd' }], number: 3 },
  },
  {
    name: 'an item is removed with its defaults',
    steps: [
      ['m', { items: [{ name: 'p' }, { name: 'q' }] }],
      ['m', { items: [{ name: 'q' }] }],
    ],
    expect: { items: [{ name: 'q', y: 'd' }], number: 3 },
  },
  {
    name: 'items keep their order, new ones are appended',
    steps: [
      ['m', { items: [{ name: 'p' }, { name: 'q' }] }],
      ['n', { items: [{ name: 'r' }, { name: 'p' }] }],
    ],
    expect: {
      items: [
        { name: 'r', y: 'd' },
        { name: 'p', y: 'd' },
        { name: 'q', y: 'd' },
      ],
      number: 3,
    },
  },
  {
    name: 'an apply reorders its items',
    steps: [
      ['m', { items: [{ name: 'p' }, { name: 'q' }] }],
      ['m', { items: [{ name: 'q' }, { name: 'p' }] }],
    ],
    expect: {
      items: [
        { name: 'q', y: 'd' },
        { name: 'p', y: 'd' },
      ],
      number: 3,
    },
  },
  {
    name: 'an item without its key',
    steps: [['m', { items: [{ x: '1' }] }]],
    expect:
      /\.spec\.items: element 0: associative list with keys has an element that omits all key fields \["name"\] \(and doesn't have default values for any key fields\)/
        .source,
  },
  {
    name: "an empty list is nobody else's",
    steps: [
      ['m', { items: [] }],
      ['n', { items: [{ name: 'p' }] }],
      ['m', {}],
    ],
    expect: { items: [{ name: 'p', y: 'd' }], number: 3 },
  },
  {
    name: 'a key with a default',
    steps: [
      ['m', { keyed: [{ port: 80 }] }],
      ['n', { keyed: [{ port: 80, protocol: 'TCP', x: '1' }] }],
      ['m', {}],
    ],
    expect: { keyed: [{ port: 80, protocol: 'TCP', x: '1' }], number: 3 },
  },
  {
    name: 'two items that differ in the second key',
    steps: [
      ['m', { keyed: [{ port: 80 }, { port: 80, protocol: 'UDP' }] }],
      ['m', { keyed: [{ port: 80, protocol: 'UDP' }] }],
    ],
    expect: { keyed: [{ port: 80, protocol: 'UDP' }], number: 3 },
  },
  {
    name: 'a duplicate item by a default key',
    steps: [['m', { keyed: [{ port: 80 }, { port: 80, protocol: 'TCP' }] }]],
    expect: /\.spec\.keyed: duplicate entries for key \[port=80,protocol="TCP"\]$/.source,
  },
  {
    name: 'items in items',
    steps: [
      ['m', { nested: [{ name: 'p', inner: [{ name: 'i', x: '1' }] }] }],
      ['n', { nested: [{ name: 'p', inner: [{ name: 'j' }, { name: 'i', y: '2' }] }] }],
      ['m', { nested: [{ name: 'p' }] }],
    ],
    expect: { nested: [{ name: 'p', inner: [{ name: 'j' }, { name: 'i', y: '2' }] }], number: 3 },
  },
  {
    name: 'a conflict deep inside',
    steps: [
      ['m', { nested: [{ name: 'p', inner: [{ name: 'i', x: '1' }] }] }],
      ['n', { nested: [{ name: 'p', inner: [{ name: 'i', x: '2' }] }] }],
    ],
    expect: conflict('m', 'nested[name="p"].inner[name="i"].x'),
  },
  {
    name: 'an outer item is removed with its inner ones',
    steps: [
      ['m', { nested: [{ name: 'p', inner: [{ name: 'i' }] }] }],
      ['m', { nested: [{ name: 'q', inner: [{ name: 'i' }] }] }],
    ],
    expect: { nested: [{ name: 'q', inner: [{ name: 'i' }] }], number: 3 },
  },
  {
    name: 'sets in a map',
    steps: [
      ['m', { sets: { k: ['a', 'b'] } }],
      ['n', { sets: { k: ['c'], l: ['d'] } }],
      ['m', { sets: { k: ['b'] } }],
    ],
    expect: { number: 3, sets: { k: ['b', 'c'], l: ['d'] } },
  },
  {
    name: 'maps in a map',
    steps: [
      ['m', { maps: { k: { a: '1' } } }],
      ['n', { maps: { k: { b: '2' } } }],
      ['m', { maps: { l: { a: '1' } } }],
    ],
    expect: { maps: { k: { b: '2' }, l: { a: '1' } }, number: 3 },
  },
  {
    name: 'an unknown field',
    steps: [['m', { nothing: '1' }]],
    expect: /\.spec\.nothing: field not declared in schema$/.source,
  },
  {
    name: 'a value of another type',
    steps: [['m', { items: { name: 'p' } }]],
    expect: /\.spec\.items: expected list, got &\{map\[name:p\]\}$/.source,
  },
];
