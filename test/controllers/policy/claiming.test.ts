/** A claimed template is reconciled only once, since the claim itself is ignored as a change. */
import t from 'tap';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import type { GroupVersionResource } from '../../../apimachinery/interface.js';
import { bindingName } from '../../../api/karmada/names.js';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { runningServer } from '../../apiserver/running.js';
import { comesAbout } from '../control-plane.js';
import { until } from '../../storage/until.js';

const deployments: GroupVersionResource = { group: 'apps', version: 'v1', resource: 'deployments' };
const events: GroupVersionResource = { group: '', version: 'v1', resource: 'events' };
const metadata = { namespace: 'default', name: 'web' };

t.test('a claim does not wake the detector, a change of a user does', async t => {
  const server = await runningServer(t, { parts: [karmadaControllers(() => true)] });
  const { client } = server;
  await client.create(resources.propagationPolicies, {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { namespace: 'default', name: 'all' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: { clusterAffinity: { clusterNames: ['member1'] } },
    },
  });
  await client.create(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  });
  const binding = { namespace: 'default', name: bindingName('Deployment', 'web') };
  const replicasOf = (object: object): number | undefined => (object as Binding).spec.replicas;
  await comesAbout(server, resources.resourceBindings, binding, object => replicasOf(object) === 1);
  /** Counts the reconciles of the template by the calls for its replicas. */
  const looks = async (): Promise<number> => {
    const { items } = await client.list(events, { namespace: 'default' });
    const told = items.filter(event => event['reason'] === 'GetReplicasSucceed');
    return told.reduce((sum, event) => sum + Number(event['count']), 0);
  };
  await until('the first look is told', async () => (await looks()) > 0);

  await client.patch(deployments, metadata, { type: 'merge', patch: { spec: { replicas: 3 } } });
  await comesAbout(server, resources.resourceBindings, binding, object => replicasOf(object) === 3);
  await until('the second look is told', async () => (await looks()) > 1);
  t.equal(await looks(), 2);
});
