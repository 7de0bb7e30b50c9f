/** Bindings, namespaces and clusters can be deleted while a member no longer serves a kind that was propagated to it. */
import t, { type Test } from 'tap';
import { executionNamespace } from '../../../api/karmada/names.js';
import type { Cluster, Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { find } from '../../../client/find.js';
import { isApplied } from '../../../kinds/karmada/conditions.js';
import { core, join, object } from '../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { customKind } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';
import { accountToken } from '../work/work-fixture.js';

const all = (): boolean => true;
const foos = { group: 'example.com', version: 'v1', resource: 'foos' };
const kind = { group: 'example.com', version: 'v1', kind: 'Foo' };
const namespace = 'shop';
const app = { namespace, name: 'app' };
const binding = { namespace, name: 'app-foo' };

async function define({ client }: TestServer): Promise<void> {
  await client.create(customResourceDefinitions, customKind('Foo'));
  await until('Foo is served', async () => (await client.mapper.forKind(kind)) !== undefined);
}

/** Resolves when the status of the cluster says whether the member serves Foo. */
const servesFoo = (control: TestServer, isServed: boolean): Promise<KubeObject> =>
  comesAbout(control, resources.clusters, { name: 'member1' }, cluster => {
    const apis = (cluster as Cluster).status?.apiEnablements;
    return apis !== undefined && apis.some(({ groupVersion }) => groupVersion === 'example.com/v1') === isServed;
  });

/** Starts a control plane and a member that has got a Foo, and that has ceased to serve the kind. */
async function ceased(t: Test): Promise<TestServer> {
  const parts = [kubernetesControllers(all), karmadaControllers(all), scheduler()];
  const [control, member] = await Promise.all([
    runningServer(t, { parts }),
    runningServer(t, { profile: 'kubernetes', parts: [kubernetesControllers(all)] }),
  ]);
  await Promise.all([define(control), define(member)]);
  const token = await accountToken(member);
  await join(control, 'member1', { server: member.url, authority: member.pki.authority.certificate, token });
  await servesFoo(control, true);
  const { client } = control;
  await client.create(core('namespaces'), object('v1', 'Namespace', namespace));
  await client.create(
    resources.propagationPolicies,
    object('policy.karmada.io/v1alpha1', 'PropagationPolicy', 'foos', {
      metadata: { namespace },
      spec: {
        resourceSelectors: [{ apiVersion: 'example.com/v1', kind: 'Foo' }],
        placement: { clusterAffinity: { clusterNames: ['member1'] } },
      },
    }),
  );
  await client.create(foos, object('example.com/v1', 'Foo', 'app', { metadata: { namespace } }));
  await until('the object is in the member', async () => (await find(member.client, foos, app)) !== undefined);
  await until('its Work is applied', async () => (await worksOfFoo(control)).every(isApplied));
  await member.client.delete(customResourceDefinitions, { name: 'foos.example.com' });
  await servesFoo(control, false);
  return control;
}

async function worksOfFoo({ client }: TestServer): Promise<readonly Work[]> {
  const { items } = await client.list(resources.works, { namespace: executionNamespace('member1') });
  return items.filter((work): work is Work => JSON.stringify(work).includes('"kind":"Foo"'));
}

const goes = (
  { client }: TestServer,
  resource: GroupVersionResource,
  key: { readonly namespace?: string; readonly name: string },
): Promise<void> => until(`${resource.resource} ${key.name} goes`, async () => !(await find(client, resource, key)));

t.test('a binding, and a template with its binding', async t => {
  const control = await ceased(t);
  const { client } = control;
  await client.delete(resources.resourceBindings, binding);
  await goes(control, resources.resourceBindings, binding);
  await until('its Work goes', async () => (await worksOfFoo(control)).length === 0);
  await client.patch(foos, app, { type: 'merge', patch: { spec: { size: 2 } } });
  await comesAbout(control, resources.resourceBindings, binding);
  await client.delete(foos, app);
  await goes(control, resources.resourceBindings, binding);
});

t.test('a namespace', async t => {
  const control = await ceased(t);
  await control.client.delete(core('namespaces'), { name: namespace });
  await goes(control, core('namespaces'), { name: namespace });
  await until('its Works go', async () => (await worksOfFoo(control)).length === 0);
});

t.test('a cluster', async t => {
  const control = await ceased(t);
  await control.client.delete(resources.clusters, { name: 'member1' });
  await goes(control, resources.clusters, { name: 'member1' });
  await goes(control, core('namespaces'), { name: executionNamespace('member1') });
});
