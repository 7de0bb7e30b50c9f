/** The interpreter of Flux's kinds. */
import t from 'tap';
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { thirdPartyInterpreter as interpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
import { itemsOf, objectOf, observed } from './objects.js';

const kinds = {
  release: 'helm.toolkit.fluxcd.io/v2beta1/HelmRelease',
  kustomization: 'kustomize.toolkit.fluxcd.io/v1/Kustomization',
  git: 'source.toolkit.fluxcd.io/v1/GitRepository',
  bucket: 'source.toolkit.fluxcd.io/v1beta2/Bucket',
  chart: 'source.toolkit.fluxcd.io/v1beta2/HelmChart',
  helm: 'source.toolkit.fluxcd.io/v1beta2/HelmRepository',
  oci: 'source.toolkit.fluxcd.io/v1beta2/OCIRepository',
} as const;

const ready = (reason: string, message = 'done'): JsonObject => ({ type: 'Ready', status: 'True', reason, message });

t.test('an object is healthy if it is ready for one of the right reasons', async t => {
  const health = (kind: string, conditions: unknown) => interpreter.health(objectOf(kind, { status: { conditions } }));
  for (const kind of [kinds.git, kinds.bucket, kinds.helm, kinds.oci]) {
    t.equal(await health(kind, [{ type: 'Other' }, ready('Succeeded')]), 'Healthy', kind);
    t.equal(await health(kind, [ready('ChartPullSucceeded')]), 'Unhealthy', kind);
  }
  t.equal(await health(kinds.chart, [ready('ChartPullSucceeded')]), 'Healthy');
  for (const kind of [kinds.release, kinds.kustomization])
    t.equal(await health(kind, [ready('ReconciliationSucceeded')]), 'Healthy', kind);
  t.equal(await health(kinds.git, undefined), 'Unhealthy');
  t.equal(await interpreter.health(objectOf(kinds.git)), 'Unhealthy');
  t.throws(() => health(kinds.git, [7]), { message: 'the value is a number, not an object with type' });
});

t.test('equal conditions of several clusters become one', async t => {
  const conditions = (...lists: JsonObject[][]) =>
    interpreter.aggregateStatus(objectOf(kinds.bucket), itemsOf(...lists.map(conditions => ({ conditions }))));
  const time = { lastTransitionTime: '2024-01-01T00:00:00Z' };
  const merged = await conditions(
    [{ ...ready('Succeeded', 'one'), ...time }],
    [ready('Succeeded', 'two'), ready('Failed', 'no')],
    [ready('Succeeded', 'three')],
  );
  t.strictSame((merged['status'] as JsonObject)['conditions'], [
    { ...ready('Succeeded', 'm1=one, m2=two, m3=three'), ...time },
    ready('Failed', 'm2=no'),
  ]);
  t.throws(() => conditions([{ type: 'Ready' }]), { message: 'the message of a condition is missing, not a string' });
});

t.test('an aggregated status', async t => {
  const status = async (kind: string, before: JsonObject | undefined, ...reports: JsonObject[]): Promise<unknown> =>
    (await interpreter.aggregateStatus(objectOf(kind, before && { status: before }), itemsOf(...reports)))['status'];
  const artifact = { revision: 'b' };
  t.strictSame(
    await status(
      kinds.bucket,
      undefined,
      { ...observed, artifact: { revision: 'a' }, url: 'u' },
      { artifact, url: '' },
    ),
    { artifact, url: 'u', observedGeneration: 0 },
  );
  t.strictSame(
    await status(kinds.git, { artifact }, observed),
    { observedGeneration: 3 },
    'no cluster has an artifact',
  );
  t.strictSame(
    await status(
      kinds.release,
      { lastAppliedRevision: '1', failures: 2 },
      { ...observed, failures: 3, helmChart: 'c' },
    ),
    { lastAppliedRevision: '1', failures: 5, helmChart: 'c', observedGeneration: 3 },
    'what no cluster reports stays as it is',
  );
  t.strictSame(await status(kinds.release, {}, { ...observed, failures: 3 }), { observedGeneration: 3 });
});

t.test('what is collected', async t => {
  const status = { artifact: {}, url: 'u', observedGeneration: 3, observedIgnore: 'x', other: 1 };
  const reflected = (kind: string) => interpreter.reflectStatus(objectOf(kind, { status }));
  t.strictSame(await reflected(kinds.bucket), { url: 'u', observedGeneration: 3, observedIgnore: 'x', generation: 3 });
  t.strictSame(await reflected(kinds.chart), { url: 'u', generation: 3 }, 'as in Karmada, without observedGeneration');
  t.throws(() => interpreter.reflectStatus(objectOf(kinds.bucket, { status: true })), {
    message: 'status is a boolean, not an object with conditions',
  });
});

t.test('a member may suspend an object', async t => {
  const spec = (suspend?: unknown): KubeObject => objectOf(kinds.git, { spec: { url: 'u', suspend } });
  t.strictSame((await interpreter.retain(spec(false), spec(true)))['spec'], { url: 'u', suspend: true });
  t.strictSame(await interpreter.retain(spec(false), spec()), spec(false));
  t.throws(() => interpreter.retain(spec(), objectOf(kinds.git)), {
    message: 'spec is missing, not an object with suspend',
  });
});

t.test('dependencies', async t => {
  const names = async (kind: string, spec: JsonObject): Promise<string[]> =>
    (await interpreter.dependencies(objectOf(kind, { spec }))).map(({ kind, name }) => `${kind}/${name}`);
  const secretRef = { name: 's' };
  const everything = {
    ...{ secretRef, verify: { secretRef: { name: 'v' } }, certSecretRef: { name: 'c' }, serviceAccountName: 'a' },
    ...{ kubeConfig: { secretRef: { name: 'k' } }, decryption: { secretRef } },
    chart: { spec: { verify: { secretRef } } },
    valuesFrom: [
      { kind: 'ConfigMap', name: 'values' },
      { kind: 'Secret', name: 's' },
      { kind: 'Other', name: 'x' },
    ],
  };
  const rows: readonly (readonly [kind: string, names: readonly string[]])[] = [
    [kinds.release, ['ConfigMap/values', 'Secret/k', 'Secret/s', 'ServiceAccount/a']],
    [kinds.kustomization, ['Secret/k', 'Secret/s', 'ServiceAccount/a']],
    [kinds.git, ['Secret/s', 'Secret/v']],
    [kinds.bucket, ['Secret/s']],
    [kinds.chart, ['Secret/v']],
    [kinds.helm, ['Secret/s']],
    [kinds.oci, ['Secret/c', 'Secret/s', 'Secret/v', 'ServiceAccount/a']],
  ];
  for (const [kind, expected] of rows) t.strictSame(await names(kind, everything), expected, kind);
  for (const kind of [kinds.release, kinds.kustomization, kinds.git, kinds.bucket, kinds.chart, kinds.helm])
    t.strictSame(await names(kind, {}), [], kind);
  t.strictSame(await names(kinds.git, { secretRef: { name: '' } }), []);
  const noName = (what: string) => ({ name: 'ExpectedError', message: `a reference to a ${what} has no name` });
  await t.rejects(names(kinds.oci, {}), noName('ServiceAccount'), 'as in Karmada, it must be given, even if empty');
  await t.rejects(names(kinds.git, { secretRef: {} }), noName('Secret'));
  await t.rejects(names(kinds.git, { secretRef: { name: 5 } }), noName('Secret'));
});
