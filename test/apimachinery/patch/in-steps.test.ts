/** Patches of large objects in steps have the results of patches at once, in the same order of keys. */
import t, { type Test } from 'tap';
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { applyJsonPatch, jsonPatchSteps, type JsonPatchOp } from '../../../apimachinery/patch/json-patch.js';
import { readUntyped, readUntypedSteps } from '../../../apimachinery/patch/literals.js';
import { applyMergePatch, mergePatchSteps } from '../../../apimachinery/patch/merge-patch.js';
import { Literal } from '../../../lib/json/literal.js';
import type { InSteps } from '../../../lib/time-slice.js';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import { strategicMergeSteps } from '../../../apimachinery/patch/strategic/strategic.js';
import { countedSteps } from '../../counted-steps.js';

const count = 6000;
const range = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const map = (make: (i: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(range(i => [`k${(i * 7) % count}`, make(i)]));

const large = () => ({
  b: { texts: map(i => `v${i}`), list: range(i => i), objects: range(i => ({ z: i, a: { n: null, m: i } })) },
  a: { small: [1, { y: 1, x: 2 }] },
});

/** Checks that both have the same JSON, or throw the same error. */
function checkSame(t: Test, name: string, atOnce: () => unknown, steps: () => InSteps<unknown>): void {
  const outcome = (run: () => unknown): string => {
    try {
      return JSON.stringify(run());
    } catch (error) {
      return String(error);
    }
  };
  let taken = 0;
  const inSteps = outcome(() => {
    const { value, count } = countedSteps(steps());
    taken = count;
    return value;
  });
  t.ok(inSteps === outcome(atOnce), name);
  t.comment(`${name}: ${taken} steps`);
}

const jsonPatches: Readonly<Record<string, readonly JsonPatchOp[]>> = {
  'changes in all containers': [
    { op: 'add', path: '/b/texts/new', value: { y: 1, x: 2 } },
    { op: 'remove', path: '/b/texts/k7' },
    { op: 'replace', path: '/b/texts/k8', value: null },
    { op: 'add', path: '/b/list/0', value: 'first' },
    { op: 'remove', path: '/b/objects/1/a/m' },
    { op: 'move', from: '/b/objects/0', path: '/b/objects/-' },
    { op: 'move', from: '/a/small', path: '/b/texts/small' },
    { op: 'add', path: '/b/texts/__proto__', value: 1 },
  ],
  'copies of opened values': [
    { op: 'add', path: '/b/texts/new', value: 1 },
    { op: 'copy', from: '/b/texts', path: '/c' },
    { op: 'add', path: '/b/texts/newer', value: 1 },
    { op: 'copy', from: '/b/list', path: '/d' },
    { op: 'test', path: '/c/new', value: 1 },
  ],
  'tests of equal values': [
    { op: 'add', path: '/b/texts/new', value: 1 },
    { op: 'remove', path: '/b/texts/new' },
    { op: 'test', path: '/b', value: large().b },
    { op: 'test', path: '', value: large() },
  ],
  'a test of a different value': [{ op: 'test', path: '/b', value: { ...large().b, list: range(() => 0) } }],
  'a test of a value with another key': [
    { op: 'test', path: '/b/texts', value: { ...large().b.texts, k0: undefined, x: 1 } },
  ],
  'too many copies': Array.from({ length: 80 }, (_, i) => ({ op: 'copy', from: '/b', path: `/c${i}` })),
};

t.test('JSON patches', async t => {
  for (const [name, ops] of Object.entries(jsonPatches)) {
    const doc = large();
    checkSame(
      t,
      name,
      () => applyJsonPatch(doc, ops),
      () => jsonPatchSteps(doc, ops),
    );
    t.ok(JSON.stringify(doc) === JSON.stringify(large()), 'the document is not changed');
  }
});

const mergePatches: Readonly<Record<string, Record<string, unknown>>> = {
  'the same keys': { b: { texts: map(i => `w${i}`) } },
  'new keys': {
    b: { texts: { new: { z: 1, y: null } } },
    c: map(i => ({ z: i, n: null })),
    d: range(() => ({ n: null })),
  },
  'removed keys': { b: { texts: map(i => (i % 2 === 0 ? null : i)), list: null } },
  'objects in place of lists and texts': { b: { list: map(i => i), texts: range(i => i), objects: { z: null } } },
  'few keys': { a: { small: null, other: { z: null, y: 1 } } },
};

t.test('merge patches', async t => {
  for (const [name, patch] of Object.entries(mergePatches))
    checkSame(
      t,
      name,
      () => applyMergePatch(large(), patch),
      () => mergePatchSteps(large(), patch),
    );
});

t.test('patched objects with literals', async t => {
  const literals = ['1.0', '1e2', '18446744073709551616', '"\\u003c"', '1.5'];
  const spec = {
    texts: map(i => (i % 1000 === 0 ? new Literal(literals[(i / 1000) % 5] ?? '') : `v${i}`)),
    list: range(i => (i === 3 ? new Literal('3.0') : i)),
    objects: range(i => (i === 5 ? { a: [new Literal('5.0')] } : { a: [BigInt(i) + 2n ** 64n] })),
    same: map(i => i),
  };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Large', metadata: {}, spec };
  const plain = ({ object, floats }: ReturnType<typeof readUntyped>) => ({ object, floats });
  checkSame(
    t,
    'large',
    () => plain(readUntyped(object)),
    function* () {
      return plain(yield* readUntypedSteps(object));
    },
  );
  const { object: read } = readUntyped(object);
  t.equal((read['spec'] as typeof spec).same, spec.same, 'parts without literals are shared');
});

t.test('strategic merge patches', async t => {
  const schema = nativeSchema('io.k8s.api.core.v1.Pod');
  const container = (i: number, more: object = {}): object => ({ name: `c${i}`, ...more });
  const live = {
    metadata: { finalizers: range(i => `f${i}`), labels: map(i => `v${i}`) },
    spec: { containers: range(i => container(i, { image: 'i' })) },
  };
  /** An order that is neither that of the list nor its reverse. */
  const order = range(i => (i * 7) % count);
  const merged = (patch: object): { readonly value: typeof live; readonly count: number } =>
    countedSteps(strategicMergeSteps(live, patch as JsonObject, schema)) as ReturnType<typeof merged>;
  const moved = merged({ spec: { containers: order.map(i => container(i, { image: 'j' })) } });
  t.ok(
    JSON.stringify(moved.value.spec.containers) === JSON.stringify(order.map(i => container(i, { image: 'j' }))),
    'items have the order of the patch',
  );
  const few = merged({ metadata: { labels: { k1: 'w', k2: null, new: 'x' } } });
  const { k2: _, ...labels }: Record<string, unknown> = { ...live.metadata.labels, k1: 'w', new: 'x' };
  t.ok(JSON.stringify(few.value.metadata.labels) === JSON.stringify(labels), 'keys keep their order');
  const ordered = merged({ metadata: { '$setElementOrder/finalizers': order.map(i => `f${i}`) } });
  t.ok(JSON.stringify(ordered.value.metadata.finalizers) === JSON.stringify(order.map(i => `f${i}`)), 'by a directive');
  const deleted = merged({ spec: { containers: order.map(i => container(i, { $patch: 'delete' })) } });
  t.strictSame(deleted.value.spec.containers, []);
  for (const { count: steps } of [moved, few, ordered, deleted]) t.ok(steps > count / 64, `${steps} steps`);
});
