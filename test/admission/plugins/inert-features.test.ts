/** Users get warnings for fields and kinds that are stored, but not acted on yet. */
import t from 'tap';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { inertFeatures } from '../../../kinds/karmada/inert.js';
import { httpClient } from '../../apiserver/http-client.js';
import { runningServer } from '../../apiserver/running.js';
import { read } from '../../docs/documents.js';

const server = await runningServer(t);
const ask = httpClient(t, server);

const warningsOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string =>
  String(headers['warning'] ?? '');

interface Row {
  readonly path: string;
  readonly body: object;
  /** Matches the beginning of the warning; absent: there is none. */
  readonly warning?: RegExp;
}

const named = (spec: object) => ({ metadata: { name: 'a' }, spec });
const policy = (failover: object) => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
  ...named({ resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }], placement: {}, failover }),
});
const placed = (workloadAffinity?: object) => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
  ...named({ resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }], placement: { workloadAffinity } }),
});
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const apiService = (service: object) => ({
  metadata: { name: 'v1.example.com' },
  spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service },
});
const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies';
const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters';
const taint = (effect: string) => ({ key: 'k', effect });
const registries = '/apis/search.karmada.io/v1alpha1/resourceregistries';
const selectors = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'Pod' }] };

const rows: readonly Row[] = [
  { path: clusters, body: named({ syncMode: 'Push', taints: [taint('NoSchedule')] }) },
  { path: clusters, body: named({ syncMode: 'Push', taints: [taint('NoExecute')] }), warning: /NoExecute/ },
  { path: clusters, body: named({ syncMode: 'Pull' }) },
  { path: policies, body: policy({}) },
  { path: policies, body: policy({ cluster: {} }), warning: /spec\.failover\.cluster has no effect/ },
  {
    path: registries,
    body: named({ ...selectors, backendStore: { openSearch: { addresses: ['https://a.invalid'] } } }),
  },
  {
    path: '/apis/config.karmada.io/v1alpha1/resourceinterpretercustomizations',
    body: {
      ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterCustomization' },
      ...named({ target: { apiVersion: 'a/v1', kind: 'A' }, customizations: {} }),
    },
  },
  {
    path: '/apis/config.karmada.io/v1alpha1/resourceinterpreterwebhookconfigurations',
    body: {
      ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterWebhookConfiguration' },
      ...{ metadata: { name: 'a' }, webhooks: [] },
    },
  },
  {
    path: policies,
    body: { ...placed({ affinity: { groupByLabelKey: 'app' } }) },
    warning: /spec\.placement\.workloadAffinity has no effect while the feature gate WorkloadAffinity is off/,
  },
  { path: policies, body: placed(undefined) },
  // The condition Available of an APIService says that its service is not there.
  { path: apiServices, body: apiService({ namespace: 'default', name: 'a' }) },
];

t.test('creating an inert feature returns a warning', async t => {
  for (const { path, body, warning } of rows) {
    const { status, headers, text } = await ask(`POST ${path}?dryRun=All`, { body });
    t.equal(status, 201, text);
    const given = warningsOf(headers);
    if (warning) t.match(given, new RegExp(`^299 - "[^"]*${warning.source}`), path);
    else t.notMatch(given, /acted on yet|no effect|karmada-agent|evict/, path);
  }
});

t.test('with its gate on, a feature has an effect', async t => {
  const gated = httpClient(t, await runningServer(t, { featureGates: featureGates({ WorkloadAffinity: true }) }));
  const body = placed({ affinity: { groupByLabelKey: 'app' } });
  const { status, headers } = await gated(`POST ${policies}?dryRun=All`, { body });
  t.equal(status, 201);
  t.equal(warningsOf(headers), '');
});

t.test('while taints evict, the fields of eviction have an effect', async t => {
  const evicting = httpClient(t, await runningServer(t, { evictsByTaints: true }));
  for (const [path, body] of [
    [policies, policy({ cluster: {} })],
    [clusters, named({ syncMode: 'Push', taints: [taint('NoExecute')] })],
  ] as const) {
    const { status, headers } = await evicting(`POST ${path}?dryRun=All`, { body });
    t.equal(status, 201);
    t.equal(warningsOf(headers), '');
  }
});

t.test('an update that adds no inert feature returns no warning', async t => {
  const body = policy({ cluster: {} });
  const created = await ask(`POST ${policies}`, { body });
  t.match(warningsOf(created.headers), /failover/);
  const merge = { type: 'application/merge-patch+json', body: { metadata: { labels: { a: 'b' } } } };
  t.equal(warningsOf((await ask(`PATCH ${policies}/a`, merge)).headers), '');
});

t.test('the README names every kind that is not acted on', async t => {
  const [, missing = ''] = read('README.md').split('\nNot implemented yet:\n');
  t.not(missing, '', 'the README has the list');
  for (const { warning } of inertFeatures) {
    const kind = /^(\w+) objects are stored/.exec(warning)?.[1];
    if (kind !== undefined) t.ok(missing.includes(kind), kind);
  }
});
