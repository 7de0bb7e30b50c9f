/** The APIs of metrics of a simulated member: a load that annotations set. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import * as resources from '../../../api/kubernetes/resources.js';
import { silent } from '../../../server/logger.js';
import { startMember } from '../../../simulator/member.js';
import { httpClient } from '../../apiserver/http-client.js';
import { temporaryFolder } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const root = '/apis/metrics.k8s.io/v1beta1';
const pods = `${root}/namespaces/default/pods`;
const hardware = { nodes: 1, cpu: '8', memory: '16Gi', pods: '50' };

const pod = (name: string, annotations: Record<string, string>, containers: object[]): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name, namespace: 'default', labels: { app: name }, annotations },
  spec: { containers },
});
const container = (name: string, cpu?: string) => ({
  name,
  image: 'nginx',
  ...(cpu !== undefined && { resources: { requests: { cpu, memory: '100Mi' } } }),
});

t.test('a simulated member serves metrics', async t => {
  const directory = await temporaryFolder(t);
  const member = await startMember({ name: 'm', directory, host: '127.0.0.1', log: silent, hardware });
  t.teardown(() => member.stop());
  const ask = httpClient(t, { ...member, directory, kubeconfig: '' });
  const run = async (...args: Parameters<typeof pod>): Promise<void> => {
    await member.client.create(resources.pods, pod(...args));
    await until(`pod ${args[0]}`, async () => (await ask(`GET ${pods}/${args[0]}`)).status === 200);
  };
  const usageOf = async (name: string) => (await ask(`GET ${pods}/${name}`)).json['containers'];

  await t.test('a container uses half of its requests, or a little without them', async t => {
    await run('plain', {}, [container('a', '500m'), container('b')]);
    t.same(await usageOf('plain'), [
      { name: 'a', usage: { cpu: '250m', memory: '50Mi' } },
      { name: 'b', usage: { cpu: '10m', memory: '20Mi' } },
    ]);
  });

  await t.test('annotations set the usage of all containers, or of one', async t => {
    const set = { 'simulator.flagship.io/cpu': '100m, b=2', 'simulator.flagship.io/memory': 'b=1Gi,a=nonsense' };
    await run('set', set, [container('a', '500m'), container('b')]);
    t.same(await usageOf('set'), [
      { name: 'a', usage: { cpu: '100m', memory: '50Mi' } },
      { name: 'b', usage: { cpu: '2', memory: '1Gi' } },
    ]);
    const patch = { metadata: { annotations: { 'simulator.flagship.io/cpu': '7m' } } };
    await member.client.patch(resources.pods, { namespace: 'default', name: 'set' }, { type: 'merge', patch });
    await until('the new usage', async () => JSON.stringify(await usageOf('set')).includes('"7m"'));
  });

  await t.test('lists are selected by the labels and names of the Pods', async t => {
    const names = async (query: string) =>
      (await ask(`GET ${root}/pods${query}`)).json.items.map(({ metadata }) => metadata.name);
    t.same(await names(''), ['plain', 'set']);
    t.same(await names('?labelSelector=app%3Dset'), ['set']);
    t.same(await names('?fieldSelector=metadata.name%3Dplain'), ['plain']);
    t.same(await names('?fieldSelector=metadata.namespace%3Dother'), []);
    t.match((await ask(`GET ${root}/pods?fieldSelector=spec.nodeName%3Dx`)).json, { code: 400 });
    t.match((await ask(`GET ${pods}/none`)).json, { code: 404, message: 'pods "none" not found' });
  });

  await t.test('a node uses what its Pods and the system use', async t => {
    const node = async () => (await ask(`GET ${root}/nodes`)).json.items[0]?.['usage'];
    // 100m of the system, 250m and 10m of `plain`, twice 7m of `set`
    t.same(await node(), { cpu: '374m', memory: '1400Mi' });
    const patch = { metadata: { annotations: { 'simulator.flagship.io/cpu': '6' } } };
    await member.client.patch(resources.nodes, { name: 'm-node-1' }, { type: 'merge', patch });
    await until('the new usage', async () => JSON.stringify(await node()).includes('"6"'));
  });

  await t.test('a Pod that has ended has no metrics', async t => {
    await run('short', {}, [container('a')]);
    await member.client.patch(
      resources.pods,
      { namespace: 'default', name: 'short' },
      { type: 'merge', patch: { status: { phase: 'Succeeded' } } },
      { subresource: 'status' },
    );
    await until('no metrics', async () => (await ask(`GET ${pods}/short`)).status === 404);
    t.match((await ask(`GET ${pods}/short`)).json.message, /podmetrics.metrics.k8s.io "default\/short" not found/);
  });

  await t.test('annotations set custom and external metrics', async t => {
    const annotations = { 'simulator.flagship.io/metric.rps': '1500m', 'simulator.flagship.io/metric.bad': 'many' };
    await run('web', annotations, [container('a')]);
    const custom = '/apis/custom.metrics.k8s.io/v1beta2';
    t.match((await ask(`GET ${custom}/namespaces/default/pods/*/rps`)).json, {
      kind: 'MetricValueList',
      items: [{ describedObject: { kind: 'Pod', name: 'web' }, metric: { name: 'rps' }, value: '1500m' }],
    });
    t.equal((await ask(`GET ${custom}/namespaces/default/pods/web/rps`)).json.items.length, 1);
    t.equal((await ask(`GET ${custom}/namespaces/default/pods/*/rps?labelSelector=app%3Dset`)).status, 404);
    t.equal((await ask(`GET ${custom}/namespaces/default/pods/web/bad`)).status, 404);
    t.equal((await ask(`GET ${custom}/namespaces/default/nothings/web/rps`)).status, 404);
    t.match((await ask(`GET ${custom}`)).json['resources'], [{ name: 'pods/rps' }]);
    const queue = 'queue=orders,zone=a:42;queue=mails:7';
    const patch = { metadata: { annotations: { 'simulator.flagship.io/external-metric.depth': queue } } };
    await member.client.patch(resources.namespaces, { name: 'default' }, { type: 'merge', patch });
    const external = '/apis/external.metrics.k8s.io/v1beta1';
    t.match((await ask(`GET ${external}`)).json['resources'], [{ name: 'depth' }]);
    t.match((await ask(`GET ${external}/namespaces/default/depth?labelSelector=zone`)).json.items, [
      { metricName: 'depth', metricLabels: { queue: 'orders', zone: 'a' }, value: '42' },
    ]);
    t.equal((await ask(`GET ${external}/namespaces/default/depth`)).json.items.length, 2);
    t.same((await ask(`GET ${external}/namespaces/default/other`)).json.items, []);
  });
});
