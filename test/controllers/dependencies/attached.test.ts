import t from 'tap';
import { placeOfTemplate, templateKey } from '../../../controllers/policy/templates.js';
import {
  applyStrategy,
  attach,
  attachedBinding,
  dependedLabel,
  detach,
  followed,
  strategyOf,
} from '../../../controllers/dependencies/attached.js';
import {
  lookupKey,
  lookupKeysOf,
  recordedReferences,
  referencesShown,
  referencesText,
  refersTo,
} from '../../../controllers/dependencies/references.js';
import type { DependentReference } from '../../../controllers/interpreter/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Binding, BindingSpec } from '../../../api/karmada/types.js';

const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'n', name: 'web' };

const parentNamed = (name: string, spec: Partial<BindingSpec> = {}): Binding => ({
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { namespace: 'n', name, labels: { 'resourcebinding.karmada.io/permanent-id': `id-${name}` } },
  spec: { resource, ...spec },
});

const template: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'n', name: 'c', uid: 'u', resourceVersion: '7', labels: { tier: 'a' } },
};

t.test('a binding attached to two parents stays until both detach', async t => {
  const [one, two] = [
    parentNamed('one', { clusters: [{ name: 'm1', replicas: 2 }] }),
    parentNamed('two', { clusters: [{ name: 'm2' }] }),
  ];
  const binding = attachedBinding(one, template);
  t.equal(binding.metadata.name, 'c-configmap');
  t.same(binding.spec.requiredBy, [{ namespace: 'n', name: 'one', clusters: [{ name: 'm1', replicas: 2 }] }]);
  attach(binding, attachedBinding(two, template), two);
  t.same(followed(binding), ['n/one', 'n/two']);
  t.equal(binding.metadata.labels?.[dependedLabel(two)], 'id-two');
  t.same(
    binding.spec.requiredBy?.map(({ name }) => name),
    ['one', 'two'],
  );

  const moved = parentNamed('one', { clusters: [{ name: 'm3' }] });
  attach(binding, attachedBinding(moved, template), moved);
  t.same(
    binding.spec.requiredBy?.map(({ clusters }) => clusters?.map(({ name }) => name)),
    [['m3'], ['m2']],
    'it follows the clusters of its parents',
  );

  detach(binding, one);
  t.same(followed(binding), ['n/two']);
  t.same(
    binding.spec.requiredBy?.map(({ name }) => name),
    ['two'],
  );
  detach(binding, two);
  t.equal(binding.spec.requiredBy, undefined);
  t.same(followed(binding), []);
});

t.test('the stronger setting of the parents counts', async t => {
  const cases: {
    name: string;
    given: Partial<BindingSpec>[];
    expect: [string, boolean, number];
  }[] = [
    { name: 'no settings', given: [{}], expect: ['Abort', false, 0] },
    {
      name: 'both parents have the setting',
      given: [{ conflictResolution: 'Overwrite' }, { conflictResolution: 'Overwrite' }],
      expect: ['Overwrite', false, 0],
    },
    {
      name: 'one parent overwrites',
      given: [{ conflictResolution: 'Overwrite' }, {}],
      expect: ['Overwrite', false, 1],
    },
    {
      name: 'the parents differ in both settings',
      given: [{ conflictResolution: 'Abort' }, { conflictResolution: 'Overwrite', preserveResourcesOnDeletion: true }],
      expect: ['Overwrite', true, 2],
    },
  ];
  for (const { name, given, expect } of cases) {
    const strategy = strategyOf(given.map((spec, i) => parentNamed(String(i), spec)));
    const { conflictResolution, preserveResourcesOnDeletion, disagreements } = strategy;
    t.same([conflictResolution, preserveResourcesOnDeletion, disagreements.length], expect, name);
  }
});

t.test('a policy that selects the dependency too keeps its settings', async t => {
  const parent = parentNamed('one', { conflictResolution: 'Overwrite' });
  const dependency = attachedBinding(parent, template);
  const owned = cloneJson(dependency);
  owned.spec.placement = {};
  t.equal(applyStrategy(dependency, [parent])?.conflictResolution, 'Overwrite');
  t.equal(dependency.spec.preserveResourcesOnDeletion, false);
  t.equal(applyStrategy(owned, [parent]), undefined);
  t.equal(owned.spec.conflictResolution, undefined);
  detach(dependency, parent);
  applyStrategy(dependency, []);
  t.notOk('conflictResolution' in dependency.spec, 'without parents');
});

t.test('references select by name or by labels, in one namespace', async t => {
  const reference = (change: Partial<DependentReference>): DependentReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'n',
    ...change,
  });
  const cases: { name: string; given: DependentReference; expect: boolean }[] = [
    { name: 'the same name', given: reference({ name: 'c' }), expect: true },
    { name: 'another name', given: reference({ name: 'd' }), expect: false },
    { name: 'another kind', given: reference({ kind: 'Secret', name: 'c' }), expect: false },
    { name: 'another namespace', given: reference({ namespace: 'm', name: 'c' }), expect: false },
    { name: 'matching labels', given: reference({ labelSelector: { matchLabels: { tier: 'a' } } }), expect: true },
    { name: 'other labels', given: reference({ labelSelector: { matchLabels: { tier: 'b' } } }), expect: false },
    { name: 'neither name nor labels', given: reference({}), expect: false },
  ];
  const place = placeOfTemplate(templateKey({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'c' }));
  for (const { name, given, expect } of cases) {
    t.equal(refersTo(given, template), expect, name);
    if (expect) t.ok(lookupKeysOf(place).includes(lookupKey(given)), `${name}: is looked up`);
  }
});

t.test('references are recorded in the annotation and shown in events', async t => {
  const labelSelector = { matchLabels: { a: 'b' } };
  const given: DependentReference[] = [
    { name: 'c', namespace: 'n', kind: 'ConfigMap', apiVersion: 'v1' },
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace: 'n', labelSelector },
  ];
  const text =
    '[{"apiVersion":"v1","kind":"ConfigMap","namespace":"n","name":"c"},' +
    '{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","namespace":"n","labelSelector":{"matchLabels":{"a":"b"}}}]';
  t.equal(referencesText(given), text);
  t.equal(referencesText([]), 'null');
  t.equal(referencesShown(given.slice(0, 1)), '[{APIVersion:v1 Kind:ConfigMap Namespace:n Name:c LabelSelector:nil}]');
  const noted = (note: string | undefined): KubeObject => ({
    ...template,
    metadata: { annotations: note === undefined ? {} : { 'resourcebinding.karmada.io/dependencies': note } },
  });
  t.same(recordedReferences(noted(text)), given);
  for (const nothing of [undefined, 'null', '{', '{}']) t.same(recordedReferences(noted(nothing)), [], String(nothing));
});
