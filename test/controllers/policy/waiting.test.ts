/** Templates that are created before a policy selects them. */
import t from 'tap';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { find } from '../../../client/find.js';
import { bindingName } from '../../../api/karmada/names.js';
import { resources } from '../../../api/karmada/well-known.js';
import { runningServer } from '../../apiserver/running.js';
import { configMap, configmaps, namespaces } from '../../registry/serve.js';
import { comesAbout } from '../control-plane.js';

const policyOf = (kind: string, name: string, selector: object, namespace?: string) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', ...selector }],
    placement: { clusterAffinity: { clusterNames: ['member1'] } },
  },
});

t.test('a new policy claims waiting templates by name and by labels, and no claimed ones', async t => {
  const server = await runningServer(t, { parts: [karmadaControllers(() => true)] });
  const { client } = server;
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  const metadata = { labels: { tier: 'x' } };
  for (const namespace of ['default', 'other']) {
    await client.create(configmaps, configMap('named', { metadata }, namespace));
    await client.create(configmaps, configMap('labelled', { metadata }, namespace));
    await client.create(configmaps, configMap('plain', {}, namespace));
  }
  const bindingOf = (namespace: string, name: string) => ({ namespace, name: bindingName('ConfigMap', name) });
  const isOf = (id: string) => (binding: { metadata: { annotations?: Record<string, string> } }) =>
    Object.values(binding.metadata.annotations ?? {}).includes(id);

  await client.create(
    resources.propagationPolicies,
    policyOf('PropagationPolicy', 'by-name', { name: 'named' }, 'default'),
  );
  await comesAbout(server, resources.resourceBindings, bindingOf('default', 'named'), isOf('by-name'));
  const byLabels = policyOf('ClusterPropagationPolicy', 'by-labels', { labelSelector: { matchLabels: { tier: 'x' } } });
  await client.create(resources.clusterPropagationPolicies, byLabels);
  for (const [namespace, name] of [
    ['default', 'labelled'],
    ['other', 'labelled'],
    ['other', 'named'],
  ] as const)
    await comesAbout(server, resources.resourceBindings, bindingOf(namespace, name), isOf('by-labels'));
  const kept = await find(client, resources.resourceBindings, bindingOf('default', 'named'));
  t.ok(kept && isOf('by-name')(kept), 'the claiming policy keeps it');
  for (const namespace of ['default', 'other'])
    t.equal(await find(client, resources.resourceBindings, bindingOf(namespace, 'plain')), undefined);

  // Once released, the other policy claims it.
  await client.delete(resources.propagationPolicies, { namespace: 'default', name: 'by-name' });
  await comesAbout(server, resources.resourceBindings, bindingOf('default', 'named'), isOf('by-labels'));
  // An unclaimed template is claimed once its labels match.
  const plain = { namespace: 'other', name: 'plain' };
  await client.patch(configmaps, plain, { type: 'merge', patch: { metadata } });
  await comesAbout(server, resources.resourceBindings, bindingOf('other', 'plain'), isOf('by-labels'));
});
