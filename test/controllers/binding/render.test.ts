/** Works: for which clusters, and what stands in them. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Binding, BindingSpec, TargetCluster, Work } from '../../../api/karmada/types.js';
import { annotations, finalizers, labels } from '../../../api/karmada/well-known.js';
import { describeWork } from '../../../controllers/work/describe-work.js';
import { divideCompletions, withCompletions } from '../../../controllers/binding/job-completions.js';
import { releasedManifest } from '../../../controllers/work/release.js';
import { appliedOverrides } from '../../../controllers/work/work-of.js';
import { existingClusters, purgedClusters, renderWork, targetClusters } from '../../../controllers/binding/render.js';
import { keyOf } from '../../../client/key.js';
import { bindingId, bindingKeyOf, workIndexers, worksOf } from '../../../controllers/binding/works-of-binding.js';

const resource = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'a' };
const template: KubeObject = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { namespace: 'n', name: 'a', uid: 'u', resourceVersion: '7', generation: 3, labels: { app: 'x' } },
  data: { k: 'v' },
};
const binding = (spec: Partial<BindingSpec> = {}, metadata: object = {}): Binding => ({
  ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
  metadata: { namespace: 'n', name: 'a-configmap', labels: { [labels.resourceBindingId]: 'id' }, ...metadata },
  spec: { resource, ...spec },
});
const wide = (spec: Partial<BindingSpec> = {}): Binding => ({
  ...binding(spec),
  kind: 'ClusterResourceBinding',
  metadata: { name: 'r-clusterrole', labels: { [labels.clusterResourceBindingId]: 'id' } },
});
const rendered = (object: KubeObject) => ({ object, clusterOverrides: [], overrides: [] });
const task = (fromCluster: string, purgeMode?: 'Directly' | 'Gracefully') => ({
  ...{ fromCluster, reason: 'r', producer: 'p' },
  ...(purgeMode && { purgeMode }),
});

t.test('the clusters of a binding are its targets and those of the bindings that require it', async t => {
  const rows: readonly {
    name: string;
    spec: Partial<BindingSpec>;
    targets: TargetCluster[];
    existing: string[];
    purged: string[];
  }[] = [
    { name: 'none', spec: {}, targets: [], existing: [], purged: [] },
    {
      name: 'its own targets',
      spec: { clusters: [{ name: 'm1', replicas: 2 }] },
      targets: [{ name: 'm1', replicas: 2 }],
      existing: ['m1'],
      purged: [],
    },
    {
      name: 'its own come first',
      spec: {
        clusters: [{ name: 'm1', replicas: 2 }],
        requiredBy: [{ name: 'b', clusters: [{ name: 'm1' }, { name: 'm2' }] }, { name: 'c' }],
      },
      targets: [{ name: 'm1', replicas: 2 }, { name: 'm2' }],
      existing: ['m1', 'm2'],
      purged: [],
    },
    {
      name: 'a graceful eviction keeps the Work, a direct one does not',
      spec: {
        clusters: [{ name: 'm1' }],
        gracefulEvictionTasks: [task('m2'), task('m3', 'Directly'), task('m4', 'Gracefully')],
      },
      targets: [{ name: 'm1' }],
      existing: ['m1', 'm2', 'm4'],
      purged: ['m3'],
    },
  ];
  for (const { name, spec, targets, existing, purged } of rows) {
    const given = binding(spec).spec;
    t.strictSame(targetClusters(given), targets, name);
    t.strictSame([...existingClusters(given)], existing, name);
    t.strictSame([...purgedClusters(given)], purged, name);
  }
});

t.test('a Work holds the manifest, and says where it comes from', async t => {
  const before = structuredClone(template);
  const work = renderWork(binding(), rendered(template), 'm1');
  t.strictSame(template, before, 'the template is not changed');
  t.match(work, {
    apiVersion: 'work.karmada.io/v1alpha1',
    kind: 'Work',
    metadata: { name: /^a-[a-z0-9]+$/, namespace: 'karmada-es-m1' },
  });
  t.strictSame(work.metadata.labels, { [labels.resourceBindingId]: 'id' });
  t.strictSame(work.metadata.annotations, {
    [annotations.resourceBindingNamespace]: 'n',
    [annotations.resourceBindingName]: 'a-configmap',
    [annotations.conflictResolution]: 'abort',
  });
  t.strictSame(work.metadata.finalizers, [finalizers.execution]);
  const [manifest] = work.spec.workload?.manifests ?? [];
  t.strictSame(manifest?.metadata, {
    namespace: 'n',
    name: 'a',
    labels: { app: 'x', [labels.resourceBindingId]: 'id', [labels.managed]: 'true' },
    annotations: {
      [annotations.resourceBindingNamespace]: 'n',
      [annotations.resourceBindingName]: 'a-configmap',
      [annotations.templateGeneration]: '3',
      [annotations.conflictResolution]: 'abort',
      [annotations.templateUid]: 'u',
      [annotations.workName]: work.metadata.name,
      [annotations.workNamespace]: 'karmada-es-m1',
    },
  });
  t.strictSame(manifest?.['data'], { k: 'v' });
  t.strictSame([work.spec.suspendDispatching, work.spec.preserveResourcesOnDeletion], [false, false]);
});

t.test('the Work of a cluster-scoped template names its ClusterResourceBinding', async t => {
  const role: KubeObject = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' } };
  const { metadata, spec } = renderWork(wide(), rendered(role), 'm1');
  t.strictSame(metadata.labels, { [labels.clusterResourceBindingId]: 'id' });
  t.strictSame(metadata.annotations, {
    [annotations.clusterResourceBindingName]: 'r-clusterrole',
    [annotations.conflictResolution]: 'abort',
  });
  const notes = spec.workload?.manifests?.[0]?.metadata.annotations ?? {};
  t.notOk(annotations.templateGeneration in notes, 'a template without a generation has none to note');
  t.equal(notes[annotations.templateUid], '');
});

t.test('conflicts are resolved as the template says, else as the policy says', async t => {
  const rows = [
    { name: 'neither', annotation: undefined, policy: undefined, expect: 'abort' },
    { name: 'the policy', annotation: undefined, policy: 'Overwrite', expect: 'overwrite' },
    { name: 'the template', annotation: 'abort', policy: 'Overwrite', expect: 'abort' },
    { name: 'an annotation with another value', annotation: 'maybe', policy: 'Overwrite', expect: 'overwrite' },
  ] as const;
  for (const { name, annotation, policy, expect } of rows) {
    const notes = annotation ? { annotations: { [annotations.conflictResolution]: annotation } } : {};
    const given = { ...template, metadata: { ...template.metadata, ...notes } };
    const work = renderWork(binding(policy ? { conflictResolution: policy } : {}), rendered(given), 'm1');
    t.equal(work.metadata.annotations?.[annotations.conflictResolution], expect, name);
    t.equal(work.spec.workload?.manifests?.[0]?.metadata.annotations?.[annotations.conflictResolution], expect, name);
  }
});

t.test('dispatching is suspended everywhere, or on some clusters', async t => {
  const suspended = (spec: Partial<BindingSpec>) =>
    renderWork(binding(spec), rendered(template), 'm1').spec.suspendDispatching;
  t.equal(suspended({ suspension: { dispatching: true } }), true);
  t.equal(suspended({ suspension: { dispatchingOnClusters: { clusterNames: ['m1'] } } }), true);
  t.equal(suspended({ suspension: { dispatchingOnClusters: { clusterNames: ['m2'] } } }), false);
  t.equal(suspended({ suspension: { scheduling: true } }), false);
  t.equal(
    renderWork(binding({ preserveResourcesOnDeletion: true }), rendered(template), 'm1').spec
      .preserveResourcesOnDeletion,
    true,
  );
});

t.test('applied overrides are recorded', async t => {
  const override = {
    policyName: 'p',
    overriders: { labelsOverrider: [{ operator: 'add' as const, value: { a: 'b' } }] },
  };
  t.strictSame(appliedOverrides(rendered(template)), {});
  t.strictSame(appliedOverrides({ object: template, clusterOverrides: [override], overrides: [] }), {
    [annotations.appliedClusterOverrides]: JSON.stringify([override]),
  });
  const work = renderWork(binding(), { object: template, clusterOverrides: [], overrides: [override] }, 'm1');
  t.equal(work.metadata.annotations?.[annotations.appliedOverrides], JSON.stringify([override]));
});

t.test('the completions of a divided Job are divided as its replicas are', async t => {
  const job = (completions?: number): KubeObject => ({
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', uid: 'u' } },
    spec: { ...(completions !== undefined && { completions }) },
  });
  const placement = { replicaScheduling: { replicaSchedulingType: 'Divided' } } as const;
  const spec = binding({ replicas: 3, placement }).spec;
  const targets = [
    { name: 'm1', replicas: 2 },
    { name: 'm2', replicas: 1 },
  ];
  t.strictSame(
    [...(divideCompletions(job(9), spec, targets) ?? [])],
    [
      ['m1', 6],
      ['m2', 3],
    ],
  );
  t.equal(divideCompletions(job(), spec, targets), undefined, 'a work queue');
  t.equal(divideCompletions(template, spec, targets), undefined, 'another kind');
  t.equal(divideCompletions(job(9), binding({ placement }).spec, targets), undefined, 'no replicas');
  t.equal(divideCompletions(job(9), binding({ replicas: 3 }).spec, targets), undefined, 'duplicated');
  const given = job(9);
  t.match(withCompletions(given, 6), { spec: { completions: 6 } });
  t.match(given, { spec: { completions: 9 } }, 'the manifest is copied');
  t.equal(withCompletions(given, undefined), given);
});

t.test('a released manifest has no marks of Karmada', async t => {
  const marked = renderWork(binding(), rendered(template), 'm1').spec.workload?.manifests?.[0] as KubeObject;
  marked.metadata.annotations = { ...marked.metadata.annotations, mine: 'x', [annotations.propagationPolicyName]: 'p' };
  marked.metadata.labels = { ...marked.metadata.labels, [labels.propagationPolicyId]: 'id' };
  const copy = structuredClone(marked);
  const { metadata } = releasedManifest(marked);
  t.strictSame(metadata.labels, { app: 'x' });
  t.strictSame(metadata.annotations, { mine: 'x', [annotations.conflictResolution]: 'abort' });
  t.strictSame(marked, copy, 'the manifest is copied');
  t.strictSame(releasedManifest({ ...template, metadata: { name: 'a' } }).metadata, { name: 'a' });
});

t.test('a Work is one of its binding by id and name', async t => {
  const work = (change: (work: Work) => void = () => undefined): Work => {
    const made = renderWork(binding(), rendered(template), 'm1');
    change(made);
    return made;
  };
  const idsOf = (each: Work) => workIndexers.bindingId.ofLabels(each.metadata.labels ?? {}, keyOf(each));
  const of = (given: Binding, ...works: readonly Work[]) =>
    worksOf(given, { byIndex: (_, id) => works.filter(each => idsOf(each).includes(id)) }).length;
  t.equal(bindingId(binding()), 'id');
  t.equal(bindingId(wide()), 'id');
  t.equal(bindingId(binding({}, { labels: {} })), '', 'before admission');
  t.equal(bindingKeyOf(work()), 'n/a-configmap');
  t.equal(bindingKeyOf(renderWork(wide(), rendered(template), 'm1')), 'r-clusterrole');
  t.equal(of(binding(), work()), 1);
  t.equal(of(binding({}, { name: 'b-configmap' }), work()), 0, 'the id was copied from another binding');
  t.equal(of(binding({}, { labels: { [labels.resourceBindingId]: 'other' } }), work()), 0);
  const elsewhere = work(({ metadata }) => (metadata.namespace = 'default'));
  t.strictSame(idsOf(elsewhere), [], 'a Work outside of the execution namespaces');
});

t.test('a Work is logged by its cluster and its object', async t => {
  const key = 'karmada-es-m1/a-1';
  t.strictSame(describeWork(key, renderWork(binding(), rendered(template), 'm1')), {
    cluster: 'm1',
    work: key,
    object: 'ConfigMap n/a',
  });
  t.strictSame(describeWork(key, undefined), { cluster: 'm1', work: key });
});
