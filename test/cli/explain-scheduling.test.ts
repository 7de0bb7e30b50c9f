/** The subresource `explanation` of bindings, and `karmadactl explain-scheduling`, against a whole server. */
import t from 'tap';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Binding, BindingSpec, Cluster } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { configMaps } from '../../api/kubernetes/resources.js';
import { explanations } from '../../cli/parts/explanations.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import type { SchedulingExplanation } from '../../scheduler/explain/explanation.js';
import { httpClient } from '../apiserver/http-client.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { programCommand } from './program-command.js';
import { cluster } from '../scheduler/objects.js';

const karmadactl = programCommand('karmadactl', 'explain-scheduling');

const bindingOf = (name: string, spec: Partial<BindingSpec>): KubeObject => ({
  ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
  metadata: { namespace: 'default', name: `${name}-deployment`, labels: { [labels.propagationPolicyId]: 'id' } },
  spec: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name, uid: 'u' }, ...spec },
});

t.test('an explanation of a binding', async t => {
  const server = await runningServer(t, {
    parts: [scheduler(), explanations({ enableEmptyWorkloadPropagation: false, disabledPlugins: new Set() })],
  });
  const { client } = server;
  const taints = [{ key: 'dedicated', effect: 'NoSchedule' as const }];
  for (const given of [cluster('m1'), cluster('m2', { taints })]) {
    const { status } = given;
    const created = (await client.create(resources.clusters, given)) as Cluster;
    await client.update(resources.clusters, { ...created, status }, { subresource: 'status' });
  }
  await client.create(resources.resourceBindings, bindingOf('web', { replicas: 2, placement: {} }));
  const key = { namespace: 'default', name: 'web-deployment' };
  const read = async (): Promise<Binding> => (await client.get(resources.resourceBindings, key)) as Binding;
  await until('the binding to be scheduled', async () => (await read()).status?.lastScheduledTime !== undefined);

  const ask = httpClient(t, server);
  const path = '/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/web-deployment/explanation';
  const { resourceVersion } = (await read()).metadata;
  const answer = await ask(`GET ${path}`);
  t.equal(answer.status, 200);
  const explanation = answer.json as unknown as SchedulingExplanation;
  t.match(explanation, {
    metadata: key,
    binding: { kind: 'ResourceBinding', lastScheduledTime: /^2/ },
    current: [{ name: 'm1', replicas: 2 }],
    next: [{ name: 'm1', replicas: 2 }],
    decisions: [{ type: 'placed', clusters: [{ name: 'm1', result: 'selected', replicas: 2 }, { name: 'm2' }] }],
  });
  t.strictSame(explanation.changes, []);
  t.equal((await read()).metadata.resourceVersion, resourceVersion, 'nothing is written');

  t.match(await ask(`POST ${path}`, { body: {} }), {
    status: 405,
    json: { kind: 'Status', reason: 'MethodNotAllowed' },
  });
  t.match(await ask(`GET ${path.replace('web', 'none')}`), { status: 404, json: { reason: 'NotFound' } });
  t.match(await ask(`GET ${path.replace('v1alpha2', 'v1alpha1')}`), { status: 404 });
  const asTenant = { 'impersonate-user': 'tenant' };
  t.match(await ask(`GET ${path}`, { headers: asTenant }), {
    status: 403,
    json: { message: /cannot get resource "resourcebindings\/explanation" in API group "work\.karmada\.io"/ },
  });

  const flags = ['--kubeconfig', server.kubeconfig];
  for (const type of ['deployment', 'deployments.apps', 'Deployment', 'deploy', 'deployment.v1.apps'])
    t.match(await karmadactl(type, 'web', ...flags), { code: 0, stdout: /^m1 +selected +2 /m }, type);
  t.match(await karmadactl('rb/web-deployment', '-o', 'yaml', ...flags), {
    stdout: /^kind: SchedulingExplanation$/m,
  });
  const { stdout } = await karmadactl('resourcebinding', 'web-deployment', '-o', 'json', ...flags);
  t.strictSame(JSON.parse(stdout), explanation);
  t.match(await karmadactl('deployment', 'none', ...flags), {
    code: 1,
    stderr: 'error: deployments.apps "none" not found\n',
  });
  t.match(await karmadactl('rb/none', ...flags), {
    code: 1,
    stderr: 'error: resourcebindings.work.karmada.io "none" not found\n',
  });
  await client.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'alone', namespace: 'default' },
  });
  t.match(await karmadactl('configmap/alone', ...flags), {
    code: 1,
    stderr:
      'error: no policy propagates configmaps "default/alone": there is no resourcebindings "default/alone-configmap"\n',
  });
  t.match(await karmadactl('deployment/web', 'more', ...flags), { code: 1, stderr: 'error: unknown argument: more\n' });
  t.match(await karmadactl('deployment/', ...flags), { code: 1, stderr: /are required\n$/ });
  t.match(await karmadactl('deploymnt', 'web', ...flags), {
    code: 1,
    stderr: `error: the server doesn't have a resource type "deploymnt"\n`,
  });
  t.match(await karmadactl('deployment', ...flags), { code: 1, stderr: /are required\n$/ });
  t.match(await karmadactl('deployment', 'web', '-o', 'jsn', ...flags), { code: 1, stderr: /did you mean json\?\n$/ });
});
