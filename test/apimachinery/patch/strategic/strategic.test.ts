import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { restoreFault } from '../../../../apimachinery/patch/restore-fault.js';
import { decodeStrategicPatch, strategicMergePatch } from '../../../../apimachinery/patch/strategic/strategic.js';
import { frozen, rejection } from '../support.js';
import { cases, containers, native, pod, spec } from './strategic-rows.js';

for (const c of cases)
  t.test(c.name, t => {
    t.strictSame(strategicMergePatch(frozen(c.original), frozen(c.patch), c.schema ?? pod), c.expect);
    t.end();
  });

const faults: readonly {
  readonly name: string;
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly code: number;
  readonly text: string;
}[] = [
  {
    name: 'unknown directive in a list',
    original: containers({ name: 'a' }),
    patch: containers({ $patch: 'frob', name: 'a' }),
    code: 500,
    text: 'unknown patch type: frob in map: map[$patch:frob name:a]',
  },
  {
    name: 'unknown directive in a map',
    original: { metadata: { name: 'a' } },
    patch: { metadata: { $patch: 'merge', '$deleteFromPrimitiveList/finalizers': ['b'] } },
    code: 500,
    text: 'unknown patch type: merge in map: map[$deleteFromPrimitiveList/finalizers:[b] $patch:merge]',
  },
  {
    name: 'a directive that is not a string',
    original: { metadata: { name: 'a' } },
    patch: { metadata: { $patch: 5 } },
    code: 500,
    text: 'unknown patch type: %!s(int64=5) in map: map[$patch:5]',
  },
  {
    name: 'merge in a list',
    original: containers({ name: 'a' }),
    patch: containers({ $patch: 'merge', name: 'a' }),
    code: 500,
    text: 'merging lists cannot yet be specified in the patch',
  },
  {
    name: 'item without its key',
    original: containers({ name: 'a' }),
    patch: containers({ image: 'x' }),
    code: 500,
    text: 'map: map[image:x] does not contain declared merge key: name',
  },
  {
    name: 'deletion without its key',
    original: containers({ name: 'a' }),
    patch: containers({ $patch: 'delete' }),
    code: 500,
    text: 'map: map[$patch:delete] does not contain declared merge key: name',
  },
  {
    name: 'retainKeys misses a key of the patch',
    original: spec({ volumes: [{ name: 'w' }] }),
    patch: spec({ volumes: [{ $retainKeys: ['name'], name: 'w', secret: {} }] }),
    code: 400,
    text: 'invalid patch format of retainKeys',
  },
  {
    name: 'retainKeys is not a list',
    original: spec({ volumes: [{ name: 'w' }] }),
    patch: spec({ volumes: [{ $retainKeys: 'name', name: 'w' }] }),
    code: 400,
    text: 'invalid patch format of retainKeys',
  },
  {
    name: 'deletion list without a field',
    original: { metadata: { finalizers: ['a'] } },
    patch: { metadata: { $deleteFromPrimitiveList: ['a'] } },
    code: 400,
    text: 'invalid patch format of primitive list',
  },
  {
    name: 'order without a field',
    original: { metadata: { finalizers: ['a'] } },
    patch: { metadata: { $setElementOrder: ['a'] } },
    code: 400,
    text: 'invalid patch format of setElementOrder list',
  },
  {
    name: 'order of a field that is not a list',
    original: { spec: { securityContext: [] } },
    patch: spec({ '$setElementOrder/securityContext': ['a'], securityContext: ['a'] }),
    code: 500,
    text: 'expected slice or array type, but got: struct',
  },
  {
    name: 'order of a value that is not a list',
    original: { metadata: { finalizers: 'a' } },
    patch: { metadata: { '$setElementOrder/finalizers': ['a'] } },
    code: 500,
    text: 'expected a []interface {}, but received a string',
  },
  {
    name: 'order of null',
    original: { metadata: { finalizers: ['a'] } },
    patch: { metadata: { '$setElementOrder/finalizers': ['a'], finalizers: null } },
    code: 500,
    text: 'expected a []interface {}, but received a %!s(<nil>)',
  },
  {
    name: 'order without elements',
    original: { metadata: { finalizers: [] } },
    patch: { metadata: { '$setElementOrder/finalizers': ['a'] } },
    code: 500,
    text: 'no elements in any of the given slices',
  },
  {
    name: 'order of elements that are not objects',
    original: spec({ containers: [{ name: 'a' }] }),
    patch: spec({ '$setElementOrder/containers': ['a'] }),
    code: 500,
    text: 'expected a map[string]interface {}, but received a string',
  },
  {
    name: 'a merge below a map of maps',
    original: { metadata: { labels: { a: { b: 'c' } } } },
    patch: { metadata: { labels: { a: { d: 'e' } } } },
    code: 500,
    text: 'merging an object in json but data type is not struct, instead is: map',
  },
  {
    name: 'a directive that is an object',
    original: { metadata: { name: 'a' } },
    patch: { metadata: { $patch: { a: ['b', null, 1.5] } } },
    code: 500,
    text: 'unknown patch type: map[a:[b %!s(<nil>) %!s(float64=1.5)]] in map: map[$patch:map[a:[b <nil> 1.5]]]',
  },
  {
    name: 'order that is not a list',
    original: { metadata: { finalizers: ['a'] } },
    patch: { metadata: { '$setElementOrder/finalizers': 'a' } },
    code: 500,
    text: 'expected a []interface {}, but received a string',
  },
  {
    name: 'order of an unknown field',
    original: spec({ containers: [] }),
    patch: spec({ '$setElementOrder/bogus': ['a'], bogus: ['a'] }),
    code: 500,
    text: 'unable to find api field in struct PodSpec for the json field "bogus"',
  },
  {
    name: 'order that differs from the patch',
    original: { metadata: { finalizers: ['a'] } },
    patch: { metadata: { '$setElementOrder/finalizers': ['b'], finalizers: ['c'] } },
    code: 500,
    text: "The order in patch list:\n[c]\n doesn't match $setElementOrder list:\n[b]\n",
  },
  {
    name: 'lists of lists',
    original: { metadata: { finalizers: ['a'] } },
    patch: { metadata: { finalizers: [['a']] } },
    code: 500,
    text: 'list element types are not identical: [[a] [[a]]]',
  },
  {
    name: 'only lists of lists',
    original: { metadata: { finalizers: [] } },
    patch: { metadata: { finalizers: [['a']] } },
    code: 422,
    text: 'the server rejected our request due to an error in our request',
  },
];

for (const c of faults)
  t.test(c.name, t => {
    const error = rejection(() => strategicMergePatch(frozen(c.original), frozen(c.patch), pod));
    t.equal(error.message, c.text);
    t.equal(error.code, c.code);
    t.end();
  });

t.test('a patch that changes nothing returns the object itself', t => {
  const object = frozen({ metadata: { labels: { a: 'b' } }, spec: { containers: [] } });
  t.equal(strategicMergePatch(object, { metadata: { labels: { a: 'b' } } }, pod), object);
  const other = strategicMergePatch(object, { metadata: { labels: { c: 'd' } } }, pod);
  t.equal(other.spec, object.spec);
  t.end();
});

t.test('types with a MarshalJSON have no fields', t => {
  const revision = native('apps', 'v1', 'ControllerRevision');
  const error = rejection(() => strategicMergePatch({ data: { a: {} } }, { data: { a: { b: 1 } } }, revision));
  t.equal(error.message, 'unable to find api field in struct RawExtension for the json field "a"');
  t.strictSame(strategicMergePatch({ data: { a: 1 } }, { data: { a: 2 } }, revision), { data: { a: 2 } });
  const crd = native('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');
  const version = (openAPIV3Schema: JsonObject): JsonObject => ({
    spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
  });
  const lists = strategicMergePatch(version({ type: 'object' }), version({ type: 'string' }), crd);
  t.strictSame(lists, version({ type: 'string' }), 'versions have no merge key');
  t.end();
});

t.test('decoding refuses other values than objects', t => {
  const text = 'json: cannot unmarshal array into Go value of type map[string]interface {}';
  t.equal(rejection(() => decodeStrategicPatch([])).message, text);
  t.strictSame(decodeStrategicPatch(null), {});
  t.end();
});

t.test('values of wrong types have the errors of upstream', t => {
  const rows: readonly (readonly [unknown, string | undefined])[] = [
    [{ spec: { containers: 'x' } }, 'cannot restore slice from string'],
    [{ spec: { containers: [1] } }, 'cannot restore struct from: int64'],
    [{ spec: { nodeSelector: 7 } }, 'cannot restore map from int64'],
    [{ spec: { nodeSelector: { a: 7 } } }, 'cannot convert int64 to string'],
    [{ spec: { nodeName: true } }, 'unrecognized type: string'],
    [{ spec: { priority: 1.5 } }, 'cannot convert float64 to int32'],
    [{ spec: { priority: 'x' } }, 'unrecognized type: int32'],
    [{ spec: { nodeName: { a: 1 } } }, 'unrecognized type: string'],
    [{ spec: { hostNetwork: [] } }, 'unrecognized type: bool'],
    [{ metadata: [] }, 'cannot restore struct from: slice'],
    [{ spec: { containers: [{ name: 'a', resources: { limits: { cpu: [] } } }] } }, undefined],
    [{ spec: { hostNetwork: 'x' } }, 'unrecognized type: bool'],
    [{ metadata: { labels: null, creationTimestamp: null }, spec: { containers: [null], bogus: 1 } }, undefined],
  ];
  for (const [value, text] of rows) t.equal(restoreFault(value, pod), text);
  t.equal(restoreFault({ data: 1 }, native('', 'v1', 'Secret')), 'cannot restore map from int64');
  t.equal(restoreFault({ data: { a: 1 } }, native('', 'v1', 'Secret')), 'cannot restore slice from int64');
  t.end();
});

t.test('the time for long lists is proportional to their length', t => {
  const secrets = (change: (i: number) => JsonObject): JsonObject => ({
    secrets: Array.from({ length: 100_000 }, (_, i) => ({ name: `s${i}`, ...change(i) })),
  });
  const schema = native('', 'v1', 'ServiceAccount');
  const original = secrets(() => ({ fieldPath: 'a' }));
  const merged = strategicMergePatch(
    original,
    secrets(() => ({ fieldPath: 'b' })),
    schema,
  );
  t.strictSame(
    merged,
    secrets(() => ({ fieldPath: 'b' })),
  );
  const emptied = strategicMergePatch(
    original,
    secrets(() => ({ $patch: 'delete' })),
    schema,
  );
  t.strictSame(emptied, { secrets: [] });
  t.end();
});

t.test('of items with the same key the first is merged', t => {
  const schema = native('', 'v1', 'ServiceAccount');
  const twice = {
    secrets: [
      { name: 'a', fieldPath: '1' },
      { name: 'a', fieldPath: '2' },
    ],
  };
  const patch = {
    secrets: [
      { name: 'a', fieldPath: '3' },
      { name: 'b', fieldPath: '4' },
      { name: 'b', kind: 'X' },
    ],
  };
  t.strictSame(strategicMergePatch(twice, patch, schema), {
    secrets: [
      { name: 'a', fieldPath: '3' },
      { name: 'a', fieldPath: '2' },
      { name: 'b', fieldPath: '4', kind: 'X' },
    ],
  });
  t.strictSame(strategicMergePatch(twice, { secrets: [{ name: 'a', $patch: 'delete' }] }, schema), { secrets: [] });
  t.end();
});

t.test('an object that a patch does not change is the same object, and one that it changes is a copy', async t => {
  const schema = native('', 'v1', 'ConfigMap');
  const original = frozen({ data: { c: '2', d: '3' }, metadata: { name: 'n', labels: { a: 'b' } } });
  const patched = (patch: JsonObject): JsonObject => strategicMergePatch(original, frozen(patch), schema);
  for (const patch of [
    {},
    { data: {} },
    { data: { c: '2' }, metadata: { name: 'n' } },
    { data: { none: null } },
    { none: null },
  ])
    t.equal(patched(patch), original, JSON.stringify(patch));
  const changed = patched({ data: { c: '4' } });
  t.strictSame(changed, { ...original, data: { c: '4', d: '3' } });
  t.equal(changed['metadata'], original['metadata']);
  t.strictSame(patched({ data: { c: null, e: '5' } }), { ...original, data: { d: '3', e: '5' } });
  t.strictSame(patched({ binaryData: { x: null, y: '6' } }), { ...original, binaryData: { y: '6' } });
});
