/** Rules and selectors of webhooks and policies. as apiserver/pkg/admission/plugin/webhook/predicates */
import t from 'tap';
import type { NamedRuleWithOperations } from '../../../api/kubernetes/admissionregistration.js';
import { firstFor, matchesOf } from '../../../admission/matching/rules.js';
import type { RequestTarget } from '../../../admission/matching/request-target.js';
import { selectorsOf, selectsRequest } from '../../../admission/matching/selectors.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { internal } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';
import type { LiveCatalogue } from '../../../registry/catalogue/catalogue.js';
import { withVerbs } from '../../controllers/one-controller.js';
import { configMap, namespaces, refusal, serve } from '../../registry/serve.js';

const rule = (more: Partial<NamedRuleWithOperations> = {}): NamedRuleWithOperations => ({
  ...{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] },
  ...more,
});

/** Returns a request to a resource in its storage version. */
function targetOf(
  catalogue: LiveCatalogue,
  plural: string,
  more: Partial<RequestTarget> = {},
  group = '',
): RequestTarget {
  const definition = catalogue.byPlural(group, plural);
  if (!definition) throw new Error(`no ${plural}`);
  return { definition, version: definition.storageVersion, subresource: '', operation: 'CREATE', ...more };
}

t.test('a rule matches if each of its fields has the value or an asterisk', async t => {
  const { catalogue } = await serve(t);
  const pods = targetOf(catalogue, 'pods');
  const status = { ...pods, subresource: 'status' };
  const nodes = targetOf(catalogue, 'nodes');
  const rows: readonly (readonly [name: string, NamedRuleWithOperations, RequestTarget, boolean])[] = [
    ['everything', rule(), pods, true],
    ['the operation', rule({ operations: ['UPDATE', 'CREATE'] }), pods, true],
    ['another operation', rule({ operations: ['UPDATE'] }), pods, false],
    ['no operations', rule({ operations: [] }), pods, false],
    ['the group', rule({ apiGroups: [''] }), pods, true],
    ['another group', rule({ apiGroups: ['apps'] }), pods, false],
    ['the version', rule({ apiVersions: ['v1'] }), pods, true],
    ['another version', rule({ apiVersions: ['v2'] }), pods, false],
    ['the resource', rule({ resources: ['pods'] }), pods, true],
    ['another resource', rule({ resources: ['nodes'] }), pods, false],
    ['all resources, of a subresource', rule({ resources: ['*'] }), status, false],
    ['the resource, of a subresource', rule({ resources: ['pods'] }), status, false],
    ['all subresources of the resource', rule({ resources: ['pods/*'] }), status, true],
    ['all subresources, of the resource itself', rule({ resources: ['pods/*'] }), pods, true],
    ['the subresource of all resources', rule({ resources: ['*/status'] }), status, true],
    ['another subresource', rule({ resources: ['pods/log'] }), status, false],
    ['all of all', rule({ resources: ['*/*'] }), status, true],
    ['namespaced ones', rule({ scope: 'Namespaced' }), pods, true],
    ['namespaced ones, of a node', rule({ scope: 'Namespaced' }), nodes, false],
    ['cluster-scoped ones', rule({ scope: 'Cluster' }), nodes, true],
    ['cluster-scoped ones, of a pod', rule({ scope: 'Cluster' }), pods, false],
    ['any scope', rule({ scope: '*' }), nodes, true],
  ];
  for (const [name, given, target, expected] of rows)
    t.equal(matchesOf([given], 'Exact', target, catalogue).length > 0, expected, name);
});

t.test('the first rule that has the name of the object counts', async t => {
  const { catalogue } = await serve(t);
  const pods = targetOf(catalogue, 'pods');
  const named = matchesOf(
    [rule({ resourceNames: ['a', 'b'] }), rule({ resourceNames: ['c'] })],
    'Exact',
    pods,
    catalogue,
  );
  t.equal(firstFor(named, 'b'), named[0]);
  t.equal(firstFor(named, 'c'), named[1]);
  t.equal(firstFor(named, 'd'), undefined);
  t.equal(firstFor([], 'a'), undefined);
  const [any] = matchesOf([rule({ resourceNames: [] })], 'Exact', pods, catalogue);
  t.equal(firstFor(any ? [any] : [], 'd'), any, 'no names are all names');
});

t.test('a rule for another version matches only by equivalence, after those for the version itself', async t => {
  const { catalogue } = await serve(t);
  const v2 = targetOf(catalogue, 'horizontalpodautoscalers', { version: 'v2' }, 'autoscaling');
  const other = rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] });
  const versionsOf = (rules: readonly NamedRuleWithOperations[], policy?: string): readonly string[] =>
    matchesOf(rules, policy, v2, catalogue).map(({ target }) => target.version);
  t.same(versionsOf([other], 'Exact'), []);
  t.same(versionsOf([other]), []);
  t.same(versionsOf([other], 'Equivalent'), ['v1']);
  const own = { ...other, apiVersions: ['v2'] };
  t.same(versionsOf([other, { ...own, resourceNames: ['a'] }], 'Equivalent'), ['v2', 'v1']);
  t.same(versionsOf([other, own], 'Equivalent'), ['v2'], 'the version itself has a rule for all names');
});

interface Written {
  readonly plural?: string;
  readonly operation?: AdmissionRequest['operation'];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly object?: KubeObject;
  readonly old?: KubeObject;
}

const labelled = (labels: Record<string, string>): KubeObject => configMap('a', { metadata: { labels } });

t.test('an object selector matches the object or its old state', async t => {
  const { catalogue, client } = await serve(t);
  const selects = (selector: object, { object, old }: Written): Promise<boolean> => {
    const request = { ...targetOf(catalogue, 'configmaps'), namespace: 'default', object, old };
    return selectsRequest(selectorsOf({ objectSelector: selector }), request as AdmissionRequest, object, client);
  };
  const selector = { matchLabels: { a: 'b' } };
  t.equal(await selects(selector, { object: labelled({ a: 'b' }) }), true);
  t.equal(await selects(selector, { object: labelled({}), old: labelled({ a: 'b' }) }), true);
  t.equal(await selects(selector, { object: labelled({ a: 'c' }), old: labelled({}) }), false);
  t.equal(await selects(selector, {}), false, 'there is no object');
  t.equal(await selects({}, {}), true, 'an empty selector');
  const absent = { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] };
  t.equal(await selects(absent, { object: configMap('a') }), true);
  t.equal(await selects(absent, {}), false, 'what is not there has no labels to lack');
});

t.test('a namespace selector matches the labels of the namespace, or those that are being written', async t => {
  const { catalogue, client } = await serve(t);
  const namespace = (name: string, labels: Record<string, string>): KubeObject => ({
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
  });
  await client.create(namespaces, namespace('blue', { color: 'blue' }));
  const selectors = selectorsOf({ namespaceSelector: { matchLabels: { color: 'blue' } } });
  const selects = (written: Written, of: Client = client): Promise<boolean> => {
    const { plural = 'configmaps', operation = 'CREATE', subresource = '', namespace = 'blue', object, old } = written;
    const target = targetOf(catalogue, plural, { operation, subresource });
    return selectsRequest(selectors, { ...target, namespace, object, old } as AdmissionRequest, object, of);
  };
  t.equal(await selects({}), true);
  await client.create(namespaces, namespace('red', { color: 'red' }));
  t.equal(await selects({ namespace: 'red' }), false);
  t.equal(await selects({ plural: 'nodes', namespace: '' }), true, 'a cluster-scoped object');
  const red = namespace('blue', { color: 'red' });
  const ofNamespace = { plural: 'namespaces', object: red };
  t.equal(await selects(ofNamespace), false, 'a namespace that is written');
  t.equal(await selects({ ...ofNamespace, operation: 'UPDATE' }), false);
  t.equal(await selects({ ...ofNamespace, operation: 'UPDATE', subresource: 'status' }), true, 'its labels stay');
  t.equal(await selects({ ...ofNamespace, operation: 'DELETE' }), true);
  t.match(await refusal(selects({ namespace: 'none' })), '404 NotFound: namespaces "none" not found');
  const broken = withVerbs(client, { get: () => Promise.reject(new Error('no answer')) });
  t.match(await refusal(selects({ namespace: 'unseen' }, broken)), internal('no answer').message);
});

t.test('selectors that a webhook does not have match everything', async t => {
  const { object, namespace } = selectorsOf({});
  t.same([object.empty, namespace.empty], [true, true]);
});
