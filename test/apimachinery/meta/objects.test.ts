import t from 'tap';
import { cloneJson } from '../../../lib/json/clone.js';
import { deepEqual, semanticEqual } from '../../../lib/json/equality.js';
import * as gvk from '../../../apimachinery/meta/gvk.js';
import { fnv32a, safeEncode } from '../../../lib/hash.js';
import { controllerOf, controllerReference, isControlledBy } from '../../../apimachinery/meta/owner.js';
import { generateName, randomString, uuid } from '../../../lib/random.js';
import { parseResourceVersion } from '../../../apimachinery/meta/resource-version.js';
import { golden } from '../../data.js';

t.test('values are equal as JSON', async t => {
  const cases: { a: unknown; b: unknown; deep: boolean; semantic: boolean }[] = [
    { a: { x: 1, y: [1, 2] }, b: { y: [1, 2], x: 1 }, deep: true, semantic: true },
    { a: [1, 2], b: [2, 1], deep: false, semantic: false },
    { a: {}, b: undefined, deep: false, semantic: true },
    { a: { x: [] }, b: {}, deep: false, semantic: true },
    { a: { x: null }, b: { x: {} }, deep: false, semantic: true },
    { a: { x: undefined }, b: {}, deep: true, semantic: true },
    { a: {}, b: { x: undefined }, deep: true, semantic: true },
    { a: { x: 0 }, b: {}, deep: false, semantic: false },
    { a: { x: '' }, b: {}, deep: false, semantic: false },
    { a: { toString: 1 }, b: { x: 1 }, deep: false, semantic: false },
    { a: { x: [{ y: [] }] }, b: { x: [{}] }, deep: false, semantic: true },
    { a: { 0: 1 }, b: [1], deep: false, semantic: false },
  ];
  for (const { a, b, deep, semantic } of cases) {
    const name = `${JSON.stringify(a)} ${JSON.stringify(b)}`;
    t.equal(deepEqual(a, b), deep, name);
    t.equal(deepEqual(b, a), deep, name);
    t.equal(semanticEqual(a, b), semantic, name);
    t.equal(semanticEqual(b, a), semantic, name);
  }
});

t.test('copies are equal and share nothing', async t => {
  const from = JSON.parse('{"a":[1,{"b":null}],"__proto__":{"c":true},"d":"x"}') as { a: unknown[] };
  const to = cloneJson(from);
  t.equal(JSON.stringify(to), JSON.stringify(from));
  t.not(to.a, from.a);
  t.equal(Object.getPrototypeOf(to), Object.prototype);
});

t.test('types are parsed and printed', async t => {
  t.same(gvk.readApiVersion('apps/v1'), { group: 'apps', version: 'v1' });
  t.same(gvk.readApiVersion('v1'), { group: '', version: 'v1' });
  t.equal(gvk.readApiVersion('a/b/c'), undefined);
  t.throws(() => gvk.parseApiVersion('a/b/c'), { message: 'unexpected GroupVersion string: a/b/c' });
  t.equal(gvk.gvkText({ group: 'apps', version: 'v1', kind: 'Deployment' }), 'apps/v1, Kind=Deployment');
  t.equal(gvk.gvkText({ group: '', version: 'v1', kind: 'Pod' }), '/v1, Kind=Pod');
  t.same(['v1beta1', 'foo', 'v1', 'v10', 'v2alpha1', 'v1beta2', 'v2', 'bar'].sort(gvk.compareVersions), [
    'v10',
    'v2',
    'v1',
    'v1beta2',
    'v1beta1',
    'v2alpha1',
    'bar',
    'foo',
  ]);
});

t.test('the controller is among the owners', async t => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'r', uid: 'u' } };
  const reference = controllerReference(owner);
  const pod = { metadata: { ownerReferences: [{ ...reference, uid: 'other', controller: false }, reference] } };
  t.equal(controllerOf(pod), reference);
  t.ok(isControlledBy(pod, 'u'));
  t.notOk(isControlledBy({ metadata: {} }, undefined));
});

t.test('random names have the length and alphabet of upstream', async t => {
  let seed = 7;
  const random = (size: number) => Uint8Array.from({ length: size }, () => (seed = (seed * 75 + 74) % 65537) & 0xff);
  t.match(randomString(12, random), /^[bcdfghjklmnpqrstvwxz2456789]{12}$/);
  t.match(generateName('a'.repeat(70), random), /^a{58}[a-z0-9]{5}$/);
  t.match(uuid(random), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

t.test('hashes are those of upstream', async t => {
  t.equal(fnv32a(''), 0x811c9dc5);
  t.equal(fnv32a('foobar'), 0xbf9cf968);
  interface Input {
    namespace: string;
    name: string;
    kind: string;
  }
  const { cases } = golden<Input, { work: string }>('names');
  for (const { name, input, output } of cases) {
    const base = input.name.replaceAll(':', '.').toLowerCase();
    const text = [input.namespace, base, input.kind]
      .filter(x => x !== '')
      .join('-')
      .toLowerCase();
    t.equal(`${base}-${safeEncode(String(fnv32a(text)))}`, output.work, name);
  }
});

t.test('resource versions are parsed as by upstream', async t => {
  t.equal(parseResourceVersion(undefined), 0);
  t.equal(parseResourceVersion('12'), 12);
  t.throws(() => parseResourceVersion('x'), {
    code: 500,
    message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  });
  t.throws(() => parseResourceVersion('99999999999999999999'), { message: /value out of range$/ });
});
