import t from 'tap';
import { deepEqualSteps, semanticEqualSteps } from '../../../lib/json/equality-steps.js';
import { definitionEqual, definitionEqualSteps } from '../../../registry/dynamic/definition-equal.js';
import { deepEqual, semanticEqual } from '../../../lib/json/equality.js';
import { countedSteps } from '../../counted-steps.js';

type Plain = Record<string, unknown>;

const indexes = Array.from({ length: 2500 }, (_, i) => i);
const many = <T>(make: (i: number) => T): T[] => indexes.map(make);
const entries = (make: (i: number) => unknown): Plain => Object.fromEntries(many(i => [`k${i}`, make(i)]));
/** Returns entries in the reverse order of their keys. */
const reversed = (map: Plain): Plain => Object.fromEntries(Object.entries(map).reverse());

t.test('the result in steps is that of semanticEqual or deepEqual', async t => {
  const map = entries(i => i);
  const values: readonly unknown[] = [
    ...[undefined, null, 0, {}, [], 'text'],
    ...[map, reversed(map), { ...map, k7: 0 }, { ...map, more: 1 }, { ...map, more: [] }, { ...map, k2499: undefined }],
    ...[entries(() => null), many(() => null), entries(() => ({ a: [] }))],
    ...[many(i => i), many(i => ({ i })), many(i => ({ i, empty: {} })), many(i => i).slice(1)],
    ...[{ deep: { map, list: [map] } }, { deep: { map: reversed(map), list: [map], more: null } }],
    ...[{ deep: { map, list: [map, 1] } }, { toString: map }, [map], { map: [map] }],
  ];
  for (const [i, a] of values.entries())
    for (const [j, b] of values.entries()) {
      const copy = structuredClone(b);
      t.equal(countedSteps(semanticEqualSteps(a, copy)).value, semanticEqual(a, copy), `${i} ${j}`);
      t.equal(countedSteps(deepEqualSteps(a, copy)).value, deepEqual(a, copy), `${i} ${j}: deepEqual`);
      t.equal(
        countedSteps(definitionEqualSteps(a, copy)).value,
        definitionEqual(a, copy),
        `${i} ${j}: definitionEqual`,
      );
    }
});

t.test('no step compares many values', async t => {
  const make = (): Plain => ({ spec: { map: entries(i => i), list: many(i => ({ i })), more: entries(i => ({ i })) } });
  let steps = 0;
  for (const _ of semanticEqualSteps(make(), make())) steps++;
  t.ok(steps > 250, `${steps} steps`);
});
