import t from 'tap';
import { masters, unionAuthorizers } from '../../../authn/access/authorizers.js';
import { rulesText, TooManyComparisons, uncovered } from '../../../authn/access/cover.js';
import { atOnce } from '../../../lib/time-slice.js';
import { escalationCheck } from '../../../authn/access/escalation.js';
import { RbacPolicy } from '../../../authn/access/policy.js';
import { rbacAuthorizer } from '../../../authn/access/rbac.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';
import type { Identity } from '../../../apimachinery/identity.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import type { PolicyRule } from '../../../api/kubernetes/rbac.js';
import { put } from './put.js';

const rule = (verbs: string, resources: string, apiGroups = '', resourceNames = ''): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: apiGroups.split(' '),
  resources: resources.split(' '),
  ...(resourceNames !== '' && { resourceNames: resourceNames.split(' ') }),
});
const url = (verbs: string, ...nonResourceURLs: string[]): PolicyRule => ({ verbs: verbs.split(' '), nonResourceURLs });

t.test('rules cover other rules', async t => {
  const table: readonly [string, PolicyRule[], PolicyRule[], string][] = [
    ['same', [rule('get', 'pods')], [rule('get', 'pods')], ''],
    ['all', [rule('*', '*', '*')], [rule('get list', 'pods/log secrets', ' apps')], ''],
    ['split', [rule('get', 'pods'), rule('list', 'pods')], [rule('get list', 'pods')], ''],
    [
      'verbs',
      [rule('get', 'pods')],
      [rule('get list watch', 'pods')],
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
    ],
    [
      'star is more than any',
      [rule('get list', 'pods')],
      [rule('*', 'pods')],
      '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
    ],
    ['subresource', [rule('get', '*/log')], [rule('get', 'pods/log')], ''],
    [
      'whole is not its part',
      [rule('get', 'pods')],
      [rule('get', 'pods/log')],
      '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
    ],
    ['names', [rule('get', 'pods', '', 'a b')], [rule('get', 'pods', '', 'a')], ''],
    [
      'any name',
      [rule('get', 'pods', '', 'a')],
      [rule('get', 'pods')],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ],
    [
      'other name',
      [rule('get', 'pods', '', 'a')],
      [rule('get', 'pods', '', 'a b')],
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
    ],
    [
      'an asterisk is an ordinary name',
      [rule('get', 'secrets', '', '*')],
      [rule('get', 'secrets', '', 'a')],
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
    ],
    ['the same asterisk as a name', [rule('get', 'secrets', '', '*')], [rule('get', 'secrets', '', '*')], ''],
    [
      'an asterisk as a name among others',
      [rule('*', '*', '*', '* a')],
      [rule('get', 'secrets', '', 'a b')],
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
    ],
    ['paths', [url('get', '/a/*')], [url('get', '/a/b', '/a/*')], ''],
    [
      'other paths',
      [url('get', '/a')],
      [url('get post', '/a', '/b')],
      '{NonResourceURLs:["/a"], Verbs:["post"]}\n{NonResourceURLs:["/b"], Verbs:["get"]}\n{NonResourceURLs:["/b"], Verbs:["post"]}',
    ],
    [
      'sorted',
      [],
      [rule('get', 'b a')],
      '{APIGroups:[""], Resources:["a"], Verbs:["get"]}\n{APIGroups:[""], Resources:["b"], Verbs:["get"]}',
    ],
  ];
  for (const [name, owned, wanted, expect] of table) t.equal(rulesText(atOnce(uncovered(owned, wanted))), expect, name);
});

const values = (count: number, prefix: string): string => Array.from({ length: count }, (_, i) => prefix + i).join(' ');

t.test('a rule with billions of parts is compared as a whole, or in bounded time', async t => {
  const large = rule(values(2000, 'v'), values(2000, 'r'), values(2000, 'g'));
  t.same(atOnce(uncovered([rule('get', 'pods'), large], [large])), []);
  t.equal(atOnce(uncovered([], [large])).length, 5000, 'the first parts that are missing');
  const halves = [rule(values(1000, 'v'), '*', '*'), rule(values(2000, 'v'), values(2000, 'r'), values(1999, 'g'))];
  t.throws(
    () => atOnce(uncovered(halves, [large], 1_000_000)),
    new TooManyComparisons('the rules are too many to be compared'),
  );
  const paths = (count: number, end: string) =>
    url(
      'get',
      ...values(count, `/${'a'.repeat(50)}/`)
        .split(' ')
        .map(p => p + end),
    );
  t.same(atOnce(uncovered([paths(20_000, '*')], [paths(20_000, '/x')])), []);
});

t.test('the text of the missing parts is bounded, however long their values are', async t => {
  const wanted = rule('v'.repeat(2_000_000), values(4000, 'r'));
  const missing = atOnce(uncovered([], [wanted]));
  t.equal(missing.length, 1, 'the first part is longer than any answer');
  t.ok(rulesText(missing.slice(0, 1)).length < 100_000);
});

const make = (kind: string, name: string, namespace: string, body: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name, ...(namespace !== '' && { namespace }) },
  ...body,
});
const apiGroup = 'rbac.authorization.k8s.io';
const ref = (kind: string, name: string) => ({ apiGroup, kind, name });
const to = (name: string) => [{ kind: 'User', apiGroup, name }];

const policy = new RbacPolicy();
put(policy, 'clusterroles', make('ClusterRole', 'pods', '', { rules: [rule('get', 'pods')] }));
put(policy, 'clusterroles', make('ClusterRole', 'secrets', '', { rules: [rule('get', 'secrets')] }));
put(policy, 'clusterroles', make('ClusterRole', 'escalator', '', { rules: [rule('escalate', 'roles', apiGroup)] }));
put(
  policy,
  'clusterroles',
  make('ClusterRole', 'binder', '', { rules: [rule('bind', 'clusterroles', apiGroup, 'secrets')] }),
);
put(policy, 'clusterroles', make('ClusterRole', 'everything', '', { rules: [rule('*', '*', '*'), url('*', '*')] }));
put(policy, 'clusterroles', make('ClusterRole', 'starred', '', { rules: [rule('get', 'secrets', '', '*')] }));
for (const [name, role] of [
  ['jane', 'pods'],
  ['star', 'starred'],
  ['esc', 'escalator'],
  ['bin', 'binder'],
  ['boss', 'everything'],
  ['lost', 'gone'],
] as const)
  put(
    policy,
    'clusterrolebindings',
    make('ClusterRoleBinding', name, '', { roleRef: ref('ClusterRole', role), subjects: to(name) }),
  );

const check = escalationCheck({ policy, authorize: unionAuthorizers(masters, rbacAuthorizer(policy)) });
const definitions = new Map(nativeDefinitions().map(definition => [definition.kind, definition]));

async function said(user: Identity, object: KubeObject, old?: KubeObject): Promise<string> {
  const definition = definitions.get(object.kind);
  if (definition === undefined) throw new Error(object.kind);
  const request: AdmissionRequest = {
    operation: old ? 'UPDATE' : 'CREATE',
    definition,
    version: 'v1',
    subresource: '',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    user,
    dryRun: false,
    options: {},
    object,
    old,
    warn: () => undefined,
    annotate: () => undefined,
  };
  try {
    await check.mutate?.(request);
    return '';
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

t.test('a user cannot grant rights that the user does not have', async t => {
  const user = (name: string, ...groups: string[]): Identity => ({ name, groups: [...groups, 'system:authenticated'] });
  const role = make('Role', 'r', 'ns', { rules: [rule('get list', 'secrets')] });
  const bind = make('RoleBinding', 'b', 'ns', { roleRef: ref('ClusterRole', 'secrets'), subjects: [] });
  const held = 'is attempting to grant RBAC permissions not currently held:';
  const janes = 'user "jane" (groups=["system:authenticated"])';
  const aggregating = make('ClusterRole', 'c', '', {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
  });
  const table: readonly [string, Identity, KubeObject, string][] = [
    ['masters', user('x', 'system:masters'), role, ''],
    ['held', user('jane'), make('Role', 'r', 'ns', { rules: [rule('get', 'pods')] }), ''],
    ['nothing', user('x'), make('Role', 'r', 'ns', { rules: null }), ''],
    [
      'not held',
      user('jane'),
      role,
      `403 roles.rbac.authorization.k8s.io "r" is forbidden: ${janes} ${held}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`,
    ],
    [
      'groups',
      user('bob', 'dev'),
      make('ClusterRole', 'r', '', { rules: [url('get', '/x')] }),
      `403 clusterroles.rbac.authorization.k8s.io "r" is forbidden: user "bob" (groups=["dev" "system:authenticated"]) ${held}\n{NonResourceURLs:["/x"], Verbs:["get"]}`,
    ],
    [
      'a name for a user whose only name is an asterisk',
      user('star'),
      make('Role', 'r', 'ns', { rules: [rule('get', 'secrets', '', 'a')] }),
      `403 roles.rbac.authorization.k8s.io "r" is forbidden: user "star" (groups=["system:authenticated"]) ${held}\n{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}`,
    ],
    ['escalate', user('esc'), role, ''],
    [
      'lost rights',
      user('lost'),
      make('Role', 'r', 'ns', { rules: [rule('get', 'pods')] }),
      `403 roles.rbac.authorization.k8s.io "r" is forbidden: user "lost" (groups=["system:authenticated"]) ${held}\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}; resolution errors: [clusterrole.rbac.authorization.k8s.io "gone" not found]`,
    ],
    [
      'aggregation',
      user('jane'),
      aggregating,
      '403 clusterroles.rbac.authorization.k8s.io "c" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    ],
    ['aggregation by an admin', user('boss'), aggregating, ''],
    ['binding held', user('jane'), make('RoleBinding', 'b', 'ns', { roleRef: ref('ClusterRole', 'pods') }), ''],
    [
      'binding not held',
      user('jane'),
      bind,
      `403 rolebindings.rbac.authorization.k8s.io "b" is forbidden: ${janes} ${held}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    ],
    ['bind', user('bin'), bind, ''],
    [
      'bind another',
      user('bin'),
      make('RoleBinding', 'b', 'ns', { roleRef: ref('ClusterRole', 'pods') }),
      `403 rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "bin" (groups=["system:authenticated"]) ${held}\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`,
    ],
    [
      'bind what is not there',
      user('jane'),
      make('RoleBinding', 'b', 'ns', { roleRef: ref('Role', 'ghost') }),
      '404 role.rbac.authorization.k8s.io "ghost" not found',
    ],
    [
      'bind no kind of role',
      user('jane'),
      make('RoleBinding', 'b', 'ns', { roleRef: { kind: '', name: '' } }),
      '500 unsupported role reference kind: ""',
    ],
  ];
  for (const [name, who, object, expect] of table) t.equal(await said(who, object), expect, name);

  const collected = { ...role, metadata: { ...role.metadata, finalizers: ['x'] } };
  t.equal(await said(user('gc'), role, collected), '', 'the garbage collector may remove owner references');
  const labelled = { ...role, metadata: { ...role.metadata, labels: { a: 'b' } } };
  t.match(await said(user('gc'), labelled, role), /^403/, 'a change of labels is more than that');
});
