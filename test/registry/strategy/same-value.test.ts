import t from 'tap';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { sameField, sameValue, typeAt, typeOfObject } from '../../../registry/strategy/same-value.js';

const specOf = (apiVersion: string, kind: string): Schema | undefined =>
  typeAt(typeOfObject({ apiVersion, kind }), 'spec');
const pod = specOf('v1', 'Pod');
const volume = specOf('v1', 'PersistentVolume');
const policy = specOf('networking.k8s.io/v1', 'NetworkPolicy');

t.test('empty and absent values are compared by type', async t => {
  const cases: readonly {
    readonly name: string;
    readonly type: Schema | undefined;
    readonly given: readonly [unknown, unknown];
    readonly expect: boolean;
  }[] = [
    { name: 'nothing', type: pod, given: [{}, undefined], expect: true },
    { name: 'lists', type: pod, given: [{ containers: [{ args: [] }] }, { containers: [{}] }], expect: true },
    { name: 'maps', type: pod, given: [{ nodeSelector: {} }, { nodeSelector: null }], expect: true },
    {
      name: 'a struct that is always written',
      type: pod,
      given: [{ containers: [{ resources: {} }] }, { containers: [{}] }],
      expect: true,
    },
    { name: 'an optional struct of the same name, and none', type: pod, given: [{ resources: {} }, {}], expect: false },
    {
      name: 'an optional struct, and none',
      type: pod,
      given: [{ volumes: [{ emptyDir: {} }] }, { volumes: [{}] }],
      expect: false,
    },
    {
      name: 'different objects',
      type: policy,
      given: [{ ingress: [{ from: [{ podSelector: {} }] }] }, { ingress: [{ from: [{ namespaceSelector: {} }] }] }],
      expect: false,
    },
    { name: 'an empty selector, and none', type: policy, given: [{ podSelector: {} }, {}], expect: true },
    {
      name: 'an empty reference, and none',
      type: volume,
      given: [{ rbd: { secretRef: {} } }, { rbd: {} }],
      expect: false,
    },
    {
      name: 'another empty reference, and none',
      type: volume,
      given: [{ scaleIO: { secretRef: {} } }, { scaleIO: {} }],
      expect: false,
    },
    {
      name: 'null and an absent value',
      type: pod,
      given: [{ volumes: [{ emptyDir: null }] }, { volumes: [{}] }],
      expect: true,
    },
    { name: 'another value', type: pod, given: [{ hostname: 'a' }, { hostname: 'b' }], expect: false },
    { name: 'a value of a custom type', type: undefined, given: [{ emptyDir: {} }, {}], expect: true },
    { name: 'an unknown field', type: pod, given: [{ nope: { emptyDir: {} } }, {}], expect: true },
  ];
  for (const { name, type, given, expect } of cases) {
    t.equal(sameValue(...given, type), expect, name);
    t.equal(sameValue(given[1], given[0], type), expect, `${name}, the other way round`);
  }
  const affinity = typeAt(pod, 'affinity');
  t.equal(sameValue({}, undefined, affinity), true, 'values of a type');
  t.equal(sameField({}, undefined, affinity), false, 'values of a field');
  t.equal(sameField(null, undefined, affinity), true);
  t.equal(sameField({}, undefined, typeAt(policy, 'podSelector')), true);
});

t.test('the type of an object is found by apiVersion and kind', async t => {
  t.ok(typeOfObject({ apiVersion: 'apps/v1', kind: 'Deployment' })?.properties);
  for (const object of [
    undefined,
    {},
    { apiVersion: 'apps/v1' },
    { apiVersion: 'a/b/c', kind: 'A' },
    { apiVersion: 'a/v1', kind: 'A' },
  ])
    t.equal(typeOfObject(object), undefined, JSON.stringify(object));
  const labels = typeAt(typeAt(typeOfObject({ apiVersion: 'v1', kind: 'Pod' }), 'metadata'), 'labels');
  t.equal(typeAt(labels, 'any')?.type, 'string');
  t.equal(typeAt(pod, 'nope'), undefined);
});
