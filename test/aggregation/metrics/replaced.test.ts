/** The APIs of metrics in discovery, and another server that serves one of them in place of the control plane. */
import t from 'tap';
import { issueClient } from '../../../authn/pki/authority.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../authn/serve.js';
import { controlPlane, core, grant, object, rbac } from '../fleet.js';
import { apiServices, availability, bundleOf, secondServer } from '../servers/second-server.js';

import { simulatedCluster } from '../../../simulator/controllers.js';
import { KubeletAddresses } from '../../../simulator/kubelet/kubelet-addresses.js';
import { defaultHardware } from '../../../simulator/cluster/nodes.js';

const name = 'v1beta1.metrics.k8s.io';

t.test('the control plane serves metrics without an APIService of another server', async t => {
  const control = await controlPlane(t);
  const ask = httpClient(t, control);
  for (const service of ['metrics', 'custom.metrics', 'external.metrics'])
    t.match(await control.client.get(apiServices, { name: `v1beta1.${service}.k8s.io` }), {
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
  const { json } = await ask('GET /apis/metrics.k8s.io/v1beta1');
  t.match(json.resources, [
    { name: 'nodes', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] },
    { name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] },
  ]);
  t.notMatch(json.resources, [{ storageVersionHash: /./ }], 'nothing is stored');
  const document = (await ask('GET /openapi/v3/apis/metrics.k8s.io/v1beta1')).json;
  t.ok((document.paths as object)['/apis/metrics.k8s.io/v1beta1/nodes/{name}' as never]);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const groups = (await ask('GET /apis', { headers: { accept } })).json.items;
  t.same(
    groups.map(({ metadata }) => metadata.name).filter(each => each.includes('metrics')),
    ['metrics.k8s.io', 'custom.metrics.k8s.io', 'external.metrics.k8s.io'],
  );
});

t.test('users who may view a namespace may read the metrics of its Pods', async t => {
  const control = await controlPlane(t);
  const jane = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' };
  const credential = await issueClient(control.pki.authority, { name: 'jane', groups: [] });
  const ask = httpClient(t, { ...control, pki: { ...control.pki, admin: credential } });
  const path = '/apis/metrics.k8s.io/v1beta1/nodes';
  t.equal((await ask(`GET ${path}`)).status, 403);
  t.match(await control.client.get(rbac('clusterroles'), { name: 'system:aggregated-metrics-reader' }), {
    metadata: {
      labels: Object.fromEntries(
        ['view', 'edit', 'admin'].map(role => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']),
      ),
    },
  });
  await grant(control.client, 'jane', jane, 'system:aggregated-metrics-reader');
  await until(async () => (await ask(`GET ${path}`)).status === 200);
  t.equal((await ask('GET /apis/custom.metrics.k8s.io/v1beta1/nodes/*/heat')).status, 403);
});

t.test('another server takes the API of metrics over, and gives it back', async t => {
  const control = await controlPlane(t);
  const ask = httpClient(t, control);
  const path = '/apis/metrics.k8s.io/v1beta1/nodes';
  t.same((await ask(`GET ${path}`)).json.items, [], 'there are no members');
  const hardware = { ...defaultHardware, nodes: 2 };
  const other = await secondServer(t, control, {
    parts: [simulatedCluster('other', { hardware, host: '127.0.0.1', addresses: new KubeletAddresses() })],
  });
  await control.client.create(core('namespaces'), object('v1', 'Namespace', 'servers'));
  const spec = { type: 'ExternalName', externalName: '127.0.0.1' };
  const metadata = { namespace: 'servers' };
  await control.client.create(core('services'), object('v1', 'Service', 'widgets', { metadata, spec }));
  const service = { namespace: 'servers', name: 'widgets', port: other.port };
  const patch = { spec: { service, caBundle: bundleOf(other.pki.authority.certificate) } };
  await control.client.patch(apiServices, { name }, { type: 'merge', patch });
  await availability(control.client, 'Passed', name);
  await until(async () => (await ask(`GET ${path}`)).json.items.length === 2);
  await control.client.patch(
    apiServices,
    { name },
    { type: 'merge', patch: { spec: { service: null, caBundle: null } } },
  );
  await until(async () => (await ask(`GET ${path}`)).json.items.length === 0);
});
