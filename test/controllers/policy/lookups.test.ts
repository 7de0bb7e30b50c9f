/** What a template and a policy cost does not depend on how many others there are. */
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import type { Policy } from '../../../api/karmada/types.js';
import { createInformerFactory } from '../../../client/runtime/mirrors/informer.js';
import { policiesFor, selectorIndexers } from '../../../kinds/karmada/policies-by-selector.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { ObjectReads } from '../../client/object-reads.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { configMap, configmaps, namespaces } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { clusterPolicy, detecting, policy } from './detecting.js';

const { propagationPolicies, clusterPropagationPolicies } = resources;
const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
const named = (name: string, namespace?: string) => ({
  resourceSelectors: [{ ...kind, name, ...(namespace !== undefined && { namespace }) }],
});
const count = 100;
const others = Array.from({ length: count }, (_, i) => `other-${i}`);

t.test('a template reads only the policies that may select it', async t => {
  const reads = new ObjectReads();
  const { client, context, claimed, bindingOf } = await detecting(t, { clientOf: client => reads.of(client) });
  for (const name of others) {
    await client.create(propagationPolicies, policy(name, named(name)));
    await client.create(clusterPropagationPolicies, clusterPolicy(name, named(name)));
  }
  await client.create(propagationPolicies, policy('p', named('a')));
  const mirrors = [propagationPolicies, clusterPropagationPolicies].map(resource =>
    context.informers.informer(resource),
  );
  await until(
    'the detector has the policies',
    () => mirrors.reduce((sum, { cached }) => sum + cached.size, 0) > 2 * count,
  );
  await until(
    'the queues are empty',
    () => context.backlog(new Set(['propagation-policy-detector', 'cluster-propagation-policy-detector'])) === 0,
  );
  for (const resource of [propagationPolicies, clusterPropagationPolicies]) reads.taken(resource);
  await client.create(configmaps, configMap('a'));
  await claimed('p');
  const key = { namespace: 'default', name: 'a' };
  await until('a binding', async () => (await bindingOf('ConfigMap', key)) !== undefined);
  t.ok(reads.taken(propagationPolicies) < 10, 'few policies of the namespace are read');
  t.equal(reads.taken(clusterPropagationPolicies), 0, 'no policy of the cluster is read');
});

t.test('a policy with names looks these up, in its namespace or in all', async t => {
  const { client, templates } = await detecting(t);
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'second' } });
  for (const name of others) await client.create(configmaps, configMap(name));
  await client.create(configmaps, configMap('other-7', {}, 'second'));
  const found = (of: { namespace?: string; name?: string }) => [...templates.unclaimed({ ...kind, ...of })];
  await until('the templates are mirrored', () => found({}).length === count + 1);
  const keys = (of: { namespace?: string; name?: string }) => found(of).map(({ key }) => key);
  t.same(keys({ namespace: 'default', name: 'other-7' }), ['default/other-7']);
  t.same(keys({ namespace: 'second', name: 'other-8' }), []);
  t.same(keys({ name: 'other-7' }), ['default/other-7', 'second/other-7']);
  t.same(keys({ namespace: 'second' }), ['second/other-7']);
});

t.test('policies are found by each form of their selectors', async t => {
  const { client } = await serveCustomResources(t);
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const factory = createInformerFactory({ client, clock: systemClock, log: silent, signal: stopping.signal });
  const options = { indexers: selectorIndexers };
  const policies = factory.informer<Policy>(propagationPolicies, options);
  const clusterPolicies = factory.informer<Policy>(clusterPropagationPolicies, options);
  const labelSelector = { matchLabels: { a: 'b' } };
  const of = (selector: object) => ({ resourceSelectors: [{ ...kind, ...selector }] });
  const forms: readonly [string, object][] = [
    ['kind', {}],
    ['labels', { labelSelector }],
    ['name', { name: 'a' }],
    ['namespace', { namespace: 'default' }],
    ['name-in-namespace', { namespace: 'default', name: 'a' }],
    ['other-name', { name: 'b' }],
    ['other-namespace', { namespace: 'other', name: 'a' }],
    ['other-kind', { kind: 'Secret', name: 'a' }],
  ];
  for (const [name, selector] of forms)
    await client.create(clusterPropagationPolicies, clusterPolicy(name, of(selector)));
  await client.create(propagationPolicies, policy('p', named('a')));
  await client.create(propagationPolicies, policy('q', named('b')));
  await until('all are mirrored', () => policies.cached.size === 2 && clusterPolicies.cached.size === forms.length);
  const namesFor = (object: { namespace: string; name: string }, namespace = ''): string[] =>
    policiesFor(namespace === '' ? clusterPolicies : policies, namespace, { ...kind, ...object })
      .map(({ metadata }) => metadata.name ?? '')
      .sort();
  const a = { namespace: 'default', name: 'a' };
  t.same(namesFor(a), ['kind', 'labels', 'name', 'name-in-namespace', 'namespace']);
  t.same(namesFor({ namespace: '', name: 'a' }), ['kind', 'labels', 'name'], 'an object of the cluster');
  t.same(namesFor({ namespace: 'other', name: 'a' }), ['kind', 'labels', 'name', 'other-namespace']);
  t.same(namesFor(a, 'default'), ['p']);
  t.same(namesFor(a, 'other'), [], 'a policy selects only in its namespace');

  const patch = { spec: { resourceSelectors: [{ ...kind, name: 'c' }] } };
  await client.patch(propagationPolicies, { namespace: 'default', name: 'p' }, { type: 'merge', patch });
  await until('the change is mirrored', () => namesFor(a, 'default').length === 0);
  t.same(namesFor({ namespace: 'default', name: 'c' }, 'default'), ['p']);
});
