import t from 'tap';
import { parseNativePath } from '../../../aggregation/search/native-path.js';
import { selectedResources } from '../../../aggregation/search/selected-resources.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import type { Cluster, ResourceRegistry } from '../../../api/karmada/types.js';

const catalogue = createCatalogue(nativeDefinitions());

const cluster = (status: object = {}): Cluster =>
  ({
    apiVersion: '',
    kind: 'Cluster',
    metadata: { name: 'm', labels: { a: 'b' } },
    spec: {},
    status,
  }) as unknown as Cluster;

const registry = (targetCluster: object, ...resourceSelectors: object[]): ResourceRegistry =>
  ({
    apiVersion: '',
    kind: '',
    metadata: {},
    spec: { targetCluster, resourceSelectors },
  }) as unknown as ResourceRegistry;

const pods = { apiVersion: 'v1', kind: 'Pod' };
const nodes = { apiVersion: 'v1', kind: 'Node' };
const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' };
const complete = { conditions: [{ type: 'CompleteAPIEnablements', status: 'True' }] };

t.test('registries select resources of a cluster', t => {
  const cases = [
    { name: 'nothing', registries: [], want: {} },
    { name: 'other clusters', registries: [registry({ clusterNames: ['n'] }, pods)], want: {} },
    {
      name: 'by label',
      registries: [registry({ labelSelector: { matchLabels: { a: 'b' } } }, pods, deployments)],
      want: { pods: '*', deployments: '*' },
    },
    {
      name: 'several namespaces are merged',
      registries: [registry({}, { ...pods, namespace: 'x' }), registry({}, { ...pods, namespace: 'y' })],
      want: { pods: 'x,y' },
    },
    {
      name: 'all namespaces include single ones',
      registries: [registry({}, { ...pods, namespace: 'x' }, pods, { ...pods, namespace: 'y' })],
      want: { pods: '*' },
    },
    {
      name: 'namespaces of cluster-scoped kinds are ignored',
      registries: [registry({}, { ...nodes, namespace: 'x' })],
      want: { nodes: '*' },
    },
    { name: 'unknown kinds', registries: [registry({}, { apiVersion: 'none/v1', kind: 'X' })], want: {} },
    { name: 'an invalid apiVersion', registries: [registry({}, { apiVersion: 'a/b/c', kind: 'X' })], want: {} },
    {
      name: 'kinds that the cluster lacks',
      registries: [registry({}, pods, deployments)],
      status: { ...complete, apiEnablements: [{ groupVersion: 'v1', resources: [{ name: 'pods', kind: 'Pod' }] }] },
      want: { pods: '*' },
    },
    {
      name: 'kinds that the cluster may lack',
      registries: [registry({}, deployments)],
      status: { apiEnablements: [{ groupVersion: 'v1' }] },
      want: { deployments: '*' },
    },
  ];
  for (const { name, registries, status, want } of cases) {
    const found = [...selectedResources(cluster(status), registries, catalogue).values()];
    t.same(
      Object.fromEntries(found.map(({ resource, namespaces }) => [resource.resource, [...(namespaces ?? '*')].join()])),
      want,
      name,
    );
  }
  t.end();
});

t.test('paths below the search API', t => {
  const resource = { group: 'apps', version: 'v1', resource: 'deployments' };
  const cases = [
    { path: 'apis/apps/v1/deployments', want: { resource, namespace: '', name: '' } },
    { path: 'apis/apps/v1/namespaces/n/deployments', want: { resource, namespace: 'n', name: '' } },
    { path: 'apis/apps/v1/namespaces/n/deployments/d', want: { resource, namespace: 'n', name: 'd' } },
    {
      path: 'api/v1/nodes/x',
      want: { resource: { group: '', version: 'v1', resource: 'nodes' }, namespace: '', name: 'x' },
    },
    {
      path: 'api/v1/namespaces/x',
      want: { resource: { group: '', version: 'v1', resource: 'namespaces' }, namespace: '', name: 'x' },
    },
    {
      path: 'api/v1/namespaces',
      want: { resource: { group: '', version: 'v1', resource: 'namespaces' }, namespace: '', name: '' },
    },
  ];
  for (const { path, want } of cases) t.same(parseNativePath(path.split('/')), want, path);
  for (const path of ['version', 'api/v1', 'apis/apps/v1', 'other/v1/pods', 'a/b/c/d/e'])
    t.throws(() => parseNativePath(path.split('/')), {
      message: `k8s native Request URL(${path}) is not a resource request`,
    });
  t.end();
});
