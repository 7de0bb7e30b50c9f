/** The functions of the overriders. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { OverridePolicy, Overriders } from '../../../api/karmada/types.js';
import { boundaryCrossed } from '../../../controllers/override/boundary.js';
import { overrideCommand } from '../../../controllers/override/command-overrider.js';
import { overrideField } from '../../../controllers/override/field-overrider.js';
import { overrideMap } from '../../../controllers/override/map-overrider.js';
import { patchOp, strictPatch, stringMap } from '../../../controllers/override/patch.js';
import { patchText } from '../../../controllers/override/patch-text.js';
import { podSpecPath, valueAt } from '../../../controllers/override/pod-spec.js';

const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } };
const labelled = (labels: object): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: labels as Record<string, string> },
});

t.test('labels and annotations are set, replaced and removed', async t => {
  type MapOverrider = NonNullable<Overriders['labelsOverrider']>[number];
  const rows: readonly {
    name: string;
    given: object | undefined;
    overriders: MapOverrider[];
    expect: object | undefined;
  }[] = [
    {
      name: 'add',
      given: { a: '1' },
      overriders: [{ operator: 'add', value: { b: '2' } }],
      expect: { a: '1', b: '2' },
    },
    {
      name: 'add an existing key',
      given: { a: '1' },
      overriders: [{ operator: 'add', value: { a: '2' } }],
      expect: { a: '2' },
    },
    { name: 'add to none', given: undefined, overriders: [{ operator: 'add', value: { a: '1' } }], expect: { a: '1' } },
    {
      name: 'replace',
      given: { a: '1' },
      overriders: [{ operator: 'replace', value: { a: '2', b: '3' } }],
      expect: { a: '2' },
    },
    {
      name: 'remove',
      given: { a: '1', b: '2' },
      overriders: [{ operator: 'remove', value: { a: '', c: '' } }],
      expect: { b: '2' },
    },
    {
      name: 'replace a missing key',
      given: undefined,
      overriders: [{ operator: 'replace', value: { a: '2' } }],
      expect: undefined,
    },
    { name: 'an overrider without values', given: { a: '1' }, overriders: [{ operator: 'add' }], expect: { a: '1' } },
    {
      name: 'an add drops values that are not strings',
      given: { a: 1 },
      overriders: [{ operator: 'add', value: { b: '2' } }],
      expect: { b: '2' },
    },
    {
      name: 'a key of Object.prototype is an ordinary key',
      given: { a: '1' },
      overriders: [{ operator: 'replace', value: { constructor: 'x' } }],
      expect: { a: '1' },
    },
  ];
  for (const { name, given, overriders, expect } of rows) {
    const before = given ? labelled(given) : object;
    const copy = structuredClone(before);
    t.strictSame(overrideMap(before, 'labels', overriders).metadata.labels, expect, name);
    t.strictSame(before, copy, `${name}: the manifest is not changed`);
  }
  t.equal(
    overrideMap(object, 'annotations', [{ operator: 'remove', value: { a: '' } }]),
    object,
    'an override without effect',
  );
});

t.test('maps of strings are recognised', async t => {
  t.strictSame(stringMap(labelled({ a: '1' }), 'labels'), { a: '1' });
  t.equal(stringMap(labelled({ a: 1 }), 'labels'), undefined);
  t.equal(stringMap(object, 'annotations'), undefined);
});

t.test('commands and arguments of containers are changed by name', async t => {
  const deployment = (container: object): KubeObject => ({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
    spec: { template: { spec: { containers: [{ name: 'other' }, { name: 'c', ...container }] } } },
  });
  const rows = [
    {
      name: 'add',
      field: 'command',
      given: { command: ['x'] },
      operator: 'add',
      value: ['y'],
      expect: { command: ['x', 'y'] },
    },
    {
      name: 'add to none',
      field: 'args',
      given: { command: ['x'] },
      operator: 'add',
      value: ['y'],
      expect: { command: ['x'], args: ['y'] },
    },
    {
      name: 'add to null',
      field: 'args',
      given: { args: null },
      operator: 'add',
      value: ['y'],
      expect: { args: ['y'] },
    },
    {
      name: 'remove all equal values',
      field: 'command',
      given: { command: ['x', 'y', 'x'] },
      operator: 'remove',
      value: ['x'],
      expect: { command: ['y'] },
    },
    {
      name: 'remove from none',
      field: 'command',
      given: {},
      operator: 'remove',
      value: ['x'],
      expect: { command: [] },
    },
  ] as const;
  for (const { name, field, given, operator, value, expect } of rows) {
    const overrider = { containerName: 'c', operator, value: [...value] };
    t.strictSame(overrideCommand(deployment(given), field, overrider), deployment(expect), name);
  }
  const unchanged = deployment({ command: ['x'] });
  const overrider = { containerName: 'none', operator: 'add', value: ['y'] } as const;
  t.equal(
    overrideCommand(unchanged, 'command', { ...overrider, value: ['y'] }),
    unchanged,
    'no container of that name',
  );
  t.equal(overrideCommand(object, 'command', { ...overrider, value: ['y'] }), object, 'a kind without a pod spec');
});

t.test('the pod spec of a kind is found by its name', async t => {
  t.strictSame(podSpecPath('Pod'), ['spec']);
  for (const kind of ['ReplicaSet', 'Deployment', 'DaemonSet', 'StatefulSet', 'Job'])
    t.strictSame(podSpecPath(kind), ['spec', 'template', 'spec'], kind);
  for (const kind of ['CronJob', 'ConfigMap', 'constructor']) t.equal(podSpecPath(kind), undefined, kind);
});

t.test('a value is found by keys and indexes', async t => {
  const document = { a: [{ b: 1 }], n: null, t: 'text' };
  t.equal(valueAt(document, ['a', '0', 'b']), 1);
  t.equal(valueAt(document, []), document);
  for (const path of [['a', '1', 'b'], ['n', 'x'], ['t', 'x'], ['none']])
    t.equal(valueAt(document, path), undefined, path.join('.'));
});

t.test('operations become JSON patches', async t => {
  t.strictSame(patchOp('/a', { operator: 'add', value: 1 }), { op: 'add', path: '/a', value: 1 });
  t.strictSame(patchOp('/a', { operator: 'remove' }), { op: 'remove', path: '/a' });
  t.strictSame(
    patchOp('/a', { operator: 'add', value: null }),
    { op: 'add', path: '/a', value: null },
    'null is a value',
  );
  t.strictSame(strictPatch({ a: 1 }, [{ op: 'add', path: '/b', value: 2 }]), { a: 1, b: 2 });
  t.strictSame(strictPatch({ a: 1 }, [{ op: 'replace', path: '/a', value: 2 }]), { a: 2 });
  t.throws(() => strictPatch({ a: 1 }, [{ op: 'replace', path: '/b', value: 2 }]), {
    message: /doc is missing key: \/b/,
  });
});

t.test('documents in fields are patched', async t => {
  const config = (text: unknown): KubeObject => ({ ...object, data: { file: text } });
  const set = [{ subPath: '/a', operator: 'replace' as const, value: 2 }];
  const at = { fieldPath: '/data/file' };
  t.match(await overrideField(config('{"a":1}'), { ...at, json: set }, patchText), { data: { file: '{"a":2}' } });
  t.match(await overrideField(config('a: 1\n'), { ...at, yaml: set }, patchText), { data: { file: 'a: 2\n' } });
  t.match(
    await overrideField(config('a: 1\n'), at, patchText),
    { data: { file: '' } },
    'without operations, the field is emptied',
  );
  await t.rejects(overrideField(config(1), { ...at, json: set }, patchText), {
    name: 'ExpectedError',
    message: "Get object's value by overrider's path(/data/file) is not string",
  });
});

t.test('an override cannot change the identity of an object', async t => {
  const policy: OverridePolicy = {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy', metadata: { namespace: 'n', name: 'p' } },
    spec: { overrideRules: [] },
  };
  const after = (change: object): unknown => ({ ...object, ...change });
  t.equal(boundaryCrossed(policy, object, after({ data: { k: 'v' } })), undefined);
  t.equal(boundaryCrossed(policy, object, after({ metadata: { name: 'a', namespace: 'n', labels: {} } })), undefined);
  const rows = [
    {
      name: 'another version',
      change: { apiVersion: 'v2' },
      expect: 'changes apiVersion of ConfigMap n/a from "v1" to "v2"',
    },
    {
      name: 'another kind',
      change: { kind: 'Secret' },
      expect: 'changes kind of ConfigMap n/a from "ConfigMap" to "Secret"',
    },
    {
      name: 'another name',
      change: { metadata: { name: 'b', namespace: 'n' } },
      expect: 'changes metadata.name of ConfigMap n/a from "a" to "b"',
    },
    {
      name: 'no namespace',
      change: { metadata: { name: 'a' } },
      expect: 'changes metadata.namespace of ConfigMap n/a from "n" to nothing',
    },
    {
      name: 'no metadata',
      change: { metadata: null },
      expect: 'changes metadata.name of ConfigMap n/a from "a" to nothing',
    },
    { name: 'a list', change: { metadata: [] }, expect: 'from "a" to nothing' },
    { name: 'a name that is a list', change: { metadata: { name: ['a'] } }, expect: 'to a list' },
    { name: 'a name that is an object', change: { metadata: { name: {} } }, expect: 'to an object' },
    { name: 'a long name', change: { metadata: { name: 'x'.repeat(200) } }, expect: `to "${'x'.repeat(99)}...` },
    {
      name: 'inherited properties',
      change: { metadata: Object.create({ name: 'a', namespace: 'n' }) as object },
      expect: 'from "a" to nothing',
    },
  ];
  for (const { name, change, expect } of rows) {
    const text = boundaryCrossed(policy, object, after(change)) ?? '';
    t.match(text, /^OverridePolicy n\/p changes /, name);
    t.ok(text.includes(expect), `${name}: ${text}`);
  }
});
