/** Objects and resources of a new server. */
import os from 'node:os';
import t from 'tap';
import type { Wired } from '../../wire.js';
import { freshFixture } from '../fixture.js';

t.test('a new server has the default objects', async t => {
  const { ask } = await freshFixture(t);
  const names = async (path: string): Promise<string[]> =>
    ((await ask(`GET ${path}`)).object.items ?? []).map(({ metadata }: Wired) => metadata.name ?? '');
  t.match(await names('/api/v1/namespaces'), ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  t.match((await ask('GET /apis/scheduling.k8s.io/v1/priorityclasses')).object.items, [
    {
      metadata: { name: 'system-cluster-critical' },
      ...{ value: 2000000000, description: /can be moved to another node if necessary\.$/ },
    },
    {
      metadata: { name: 'system-node-critical' },
      ...{ value: 2000001000, description: /must not be moved from their current node\.$/ },
    },
  ]);
  const service = (await ask('GET /api/v1/namespaces/default/services/kubernetes')).object;
  t.match(service, {
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { ports: [{ port: 443, name: 'https' }] },
  });
  t.equal((await ask('GET /apis/networking.k8s.io/v1/servicecidrs/kubernetes')).status, 200);
  t.ok((await names('/api/v1/namespaces/kube-system/configmaps')).includes('extension-apiserver-authentication'));
  const system = '/api/v1/namespaces/kube-system';
  const tracking = (await ask(`GET ${system}/configmaps/kube-apiserver-legacy-service-account-token-tracking`)).object;
  t.match(tracking, { data: { since: /^\d{4}-\d\d-\d\d$/ } }, 'the start of token tracking');
  const identities = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const { items: leases = [] } = (await ask(`GET ${identities}`)).object;
  t.match(leases, [
    {
      metadata: {
        name: /^apiserver-[a-z2-7]{26}$/,
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': os.hostname() },
      },
      spec: { leaseDurationSeconds: 3600, holderIdentity: /^apiserver-[a-z2-7]{26}_[\da-f-]{36}$/ },
    },
  ]);
  t.equal(leases.length, 1, 'one identity lease');
  t.same(await names('/api/v1/serviceaccounts'), [], 'ServiceAccounts are created by controllers');

  const served = async (path: string): Promise<string[]> =>
    ((await ask(`GET ${path}`)).object['resources'] as { name: string }[]).map(({ name }) => name);
  const unused = {
    '/api/v1': ['componentstatuses', 'podtemplates', 'replicationcontrollers', 'replicationcontrollers/scale'],
    '/apis/resource.k8s.io/v1': ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
    '/apis/flowcontrol.apiserver.k8s.io/v1': ['flowschemas', 'prioritylevelconfigurations'],
    '/apis/node.k8s.io/v1': ['runtimeclasses'],
    '/apis/scheduling.k8s.io/v1': ['priorityclasses'],
  };
  const groups = (await ask('GET /apis')).object['groups'] as { versions: { groupVersion: string }[] }[];
  const versions = groups.flatMap(group => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  for (const [path, plurals] of Object.entries(unused)) {
    t.ok(path === '/api/v1' || versions.includes(path), path);
    const found = new Set(await served(path));
    t.same(
      plurals.filter(plural => !found.has(plural)),
      [],
      `kinds of ${path}`,
    );
  }
});
