import t from 'tap';
import { refusal } from '../../../authn/refusal.js';
import { alwaysAllowPaths, masters, unionAuthorizers } from '../../../authn/access/authorizers.js';
import { uncovered } from '../../../authn/access/cover.js';
import { type PolicyResource, RbacPolicy } from '../../../authn/access/policy.js';
import { rbacAuthorizer, rulesFor } from '../../../authn/access/rbac.js';
import { ruleAllows } from '../../../authn/access/rule.js';
import type { Attributes } from '../../../authn/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Identity } from '../../../apimachinery/identity.js';
import { atOnce } from '../../../lib/time-slice.js';
import { cpuCost } from '../../cpu-cost.js';
import { turnsDuring } from '../../turns.js';
import type { PolicyRule } from '../../../api/kubernetes/rbac.js';
import { put } from './put.js';

/** Parses `get apps/deployments/scale ns/name` or `get /metrics`; the core group is left out. */
function ask(text: string): Attributes {
  const [verb = '', what = '', where = '/'] = text.split(' ');
  if (what.startsWith('/')) return { type: 'path', verb, path: what };
  const [namespace = '', name = ''] = where.split('/');
  const [group = '', resource = '', subresource = ''] = what.includes('.') ? what.split('/') : ['', ...what.split('/')];
  return {
    type: 'resource',
    verb,
    group: group.replace(/\.$/, ''),
    version: 'v1',
    resource,
    subresource,
    namespace,
    name,
  };
}

const user = (name: string, ...groups: string[]): Identity => ({ name, groups });

t.test('rules match requests', async t => {
  const core = { apiGroups: [''] };
  const table: readonly [PolicyRule, string, boolean][] = [
    [{ ...core, resources: ['pods'], verbs: ['get'] }, 'get pods a/b', true],
    [{ ...core, resources: ['pods'], verbs: ['get'] }, 'list pods a', false],
    [{ ...core, resources: ['pods'], verbs: ['get'] }, 'get apps./pods a/b', false],
    [{ apiGroups: ['apps.'], resources: ['*'], verbs: ['*'] }, 'get pods a/b', false],
    [{ apiGroups: ['*'], resources: ['pods'], verbs: ['*'] }, 'get x.y/pods a/b', true],
    [{ ...core, resources: ['pods'], verbs: ['get'] }, 'get pods/log a/b', false],
    [{ ...core, resources: ['pods/log'], verbs: ['get'] }, 'get pods/log a/b', true],
    [{ ...core, resources: ['pods/log'], verbs: ['get'] }, 'get pods a/b', false],
    [{ ...core, resources: ['*/log'], verbs: ['get'] }, 'get pods/log a/b', true],
    [{ ...core, resources: ['*/log'], verbs: ['get'] }, 'get pods/exec a/b', false],
    [{ ...core, resources: ['*/log'], verbs: ['get'] }, 'get pods a/b', false],
    [{ ...core, resources: ['pods/*'], verbs: ['get'] }, 'get pods/log a/b', false],
    [{ ...core, resources: ['*'], verbs: ['get'] }, 'get pods/log a/b', true],
    [{ ...core, resources: ['pods'], resourceNames: ['b'], verbs: ['*'] }, 'get pods a/b', true],
    [{ ...core, resources: ['pods'], resourceNames: ['b'], verbs: ['*'] }, 'get pods a/c', false],
    [{ ...core, resources: ['pods'], resourceNames: ['b'], verbs: ['*'] }, 'create pods a/', false],
    [{ ...core, resources: ['pods'], resourceNames: [], verbs: ['*'] }, 'create pods a/', true],
    [{ ...core, resources: ['pods'], verbs: ['*'] }, 'get /metrics', false],
    [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }, 'get /metrics', true],
    [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }, 'post /metrics', false],
    [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }, 'get pods a/b', false],
    [{ nonResourceURLs: ['/api/*'], verbs: ['get'] }, 'get /api/v1', true],
    [{ nonResourceURLs: ['/api/*'], verbs: ['get'] }, 'get /api', false],
    [{ nonResourceURLs: ['*'], verbs: ['*'] }, 'get /anything', true],
    [{ nonResourceURLs: ['/a**'], verbs: ['get'] }, 'get /abc', true],
    [{ nonResourceURLs: ['/a**'], verbs: ['get'] }, 'get /b', false],
  ];
  for (const [rule, text, expect] of table)
    t.equal(ruleAllows(rule, ask(text)), expect, `${JSON.stringify(rule)} ${text}`);
});

t.test('a path with very many asterisks is compared in linear time', async t => {
  const url = `/${'*'.repeat(40_000)}x*`;
  const rule: PolicyRule = { nonResourceURLs: [url], verbs: ['get'] };
  const milliseconds = await cpuCost(1000, () => {
    t.notOk(ruleAllows(rule, ask('get /a')));
    t.ok(ruleAllows(rule, ask(`get ${url}y`)));
    t.equal(atOnce(uncovered([rule], [{ nonResourceURLs: ['/a', `${url}y`], verbs: ['get'] }])).length, 1);
  });
  t.ok(milliseconds < 1000, `${milliseconds} ms`);
});

const object = (kind: string, name: string, namespace: string, body: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name, ...(namespace !== '' && { namespace }) },
  ...body,
});

const read = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
const write = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['create'] }] };
const bind = (kind: string, name: string, ...subjects: object[]): object => ({ roleRef: { kind, name }, subjects });

const objects: readonly [PolicyResource, KubeObject][] = [
  ['clusterroles', object('ClusterRole', 'reader', '', read)],
  ['clusterroles', object('ClusterRole', 'empty', '', { rules: null })],
  ['roles', object('Role', 'writer', 'a', write)],
  [
    'clusterrolebindings',
    object('ClusterRoleBinding', 'cb', '', bind('ClusterRole', 'reader', { kind: 'User', name: 'jane' })),
  ],
  [
    'clusterrolebindings',
    object('ClusterRoleBinding', 'gone', '', bind('ClusterRole', 'x', { kind: 'Group', name: 'lost' })),
  ],
  [
    'clusterrolebindings',
    object('ClusterRoleBinding', 'nobody', '', bind('ClusterRole', 'reader', { kind: 'ServiceAccount', name: 'sa' })),
  ],
  [
    'rolebindings',
    object(
      'RoleBinding',
      'rb',
      'a',
      bind('Role', 'writer', { kind: 'Group', name: 'devs' }, { kind: 'ServiceAccount', name: 'sa' }),
    ),
  ],
  [
    'rolebindings',
    object(
      'RoleBinding',
      'rc',
      'a',
      bind('ClusterRole', 'reader', { kind: 'ServiceAccount', name: 'sb', namespace: 'b' }),
    ),
  ],
  ['rolebindings', object('RoleBinding', 'rg', 'a', bind('Role', 'y', { kind: 'Group', name: 'lost' }))],
  ['rolebindings', object('RoleBinding', 'rh', 'a', bind('Role', 'y', { kind: 'Group', name: 'lost' }))],
];

function filled() {
  const policy = new RbacPolicy();
  for (const [resource, one] of objects) put(policy, resource, one);
  return policy;
}

t.test('bindings grant roles to users, groups and service accounts', async t => {
  const authorize = rbacAuthorizer(filled());
  const sa = 'system:serviceaccount';
  const table: readonly [Identity, string, boolean, string][] = [
    [
      user('jane'),
      'get pods a/b',
      true,
      'RBAC: allowed by ClusterRoleBinding "cb" of ClusterRole "reader" to User "jane"',
    ],
    [user('jane'), 'get pods', true, 'RBAC: allowed by ClusterRoleBinding "cb" of ClusterRole "reader" to User "jane"'],
    [user('jane'), 'create pods a', false, ''],
    [
      user('joe', 'x', 'devs'),
      'create pods a',
      true,
      'RBAC: allowed by RoleBinding "rb/a" of Role "writer" to Group "devs"',
    ],
    [user('joe', 'devs'), 'create pods b', false, ''],
    [user('joe', 'devs'), 'create pods', false, ''],
    [
      user(`${sa}:a:sa`),
      'create pods a',
      true,
      'RBAC: allowed by RoleBinding "rb/a" of Role "writer" to ServiceAccount "sa/a"',
    ],
    [user(`${sa}:b:sa`), 'create pods a', false, ''],
    [
      user(`${sa}:b:sb`),
      'get pods a/x',
      true,
      'RBAC: allowed by RoleBinding "rc/a" of ClusterRole "reader" to ServiceAccount "sb/b"',
    ],
    [user(`${sa}::sa`), 'get pods a/x', false, ''],
    [user('x', 'lost'), 'get pods', false, 'RBAC: clusterrole.rbac.authorization.k8s.io "x" not found'],
    [
      user('x', 'lost'),
      'get pods a',
      false,
      'RBAC: [clusterrole.rbac.authorization.k8s.io "x" not found, role.rbac.authorization.k8s.io "y" not found]',
    ],
  ];
  for (const [who, text, allowed, reason] of table)
    t.same(await authorize(who, ask(text)), { allowed, reason }, `${who.name} ${text}`);
});

t.test('changes of roles and bindings take effect at once', async t => {
  const policy = filled();
  const authorize = rbacAuthorizer(policy);
  const may = async (who: Identity, text: string): Promise<boolean> => (await authorize(who, ask(text))).allowed;
  put(policy, 'rolebindings', object('RoleBinding', 'rb', 'a', bind('Role', 'writer', { kind: 'User', name: 'max' })));
  t.notOk(await may(user('joe', 'devs'), 'create pods a'));
  t.ok(await may(user('max'), 'create pods a'));
  put(policy, 'roles', object('Role', 'writer', 'a', read));
  t.notOk(await may(user('max'), 'create pods a'));
  t.ok(await may(user('max'), 'get pods a/x'));
  policy.remove('roles', 'a/writer');
  t.notOk(await may(user('max'), 'get pods a/x'));
  policy.remove('clusterrolebindings', 'cb');
  t.notOk(await may(user('jane'), 'get pods a/x'));
  const bound = bind('ClusterRole', 'reader', { kind: 'Group', name: 'g' });
  put(policy, 'clusterrolebindings', object('ClusterRoleBinding', 'new', '', bound));
  t.ok(await may(user('q', 'g'), 'get pods'));
  policy.remove('clusterrolebindings', 'gone');
  t.equal(
    (await authorize(user('x', 'lost'), ask('get pods'))).reason,
    '',
    'a missing role is not an error without a binding',
  );
  policy.remove('clusterroles', 'reader');
  t.notOk(await may(user('q', 'g'), 'get pods'));
});

t.test('a binding counts once for a user, even if it has the user several times', async t => {
  const policy = filled();
  const twice = bind('ClusterRole', 'reader', { kind: 'Group', name: 'g' }, { kind: 'User', name: 'q' });
  put(policy, 'clusterrolebindings', object('ClusterRoleBinding', 'twice', '', twice));
  t.same(await rulesFor(policy, user('q', 'g', 'lost'), 'a'), {
    rules: read.rules,
    errors: [
      'clusterrole.rbac.authorization.k8s.io "x" not found',
      'role.rbac.authorization.k8s.io "y" not found',
      'role.rbac.authorization.k8s.io "y" not found',
    ],
  });
});

t.test('the subject of a binding with many groups is found for a user with many groups', async t => {
  const group = (name: string) => ({ kind: 'Group', name });
  const policy = filled();
  const subjects = [...Array.from({ length: 12_000 }, (_, i) => group(`s${i}`)), group('last')];
  put(
    policy,
    'clusterrolebindings',
    object('ClusterRoleBinding', 'large', '', bind('ClusterRole', 'reader', ...subjects)),
  );
  const authorize = rbacAuthorizer(policy);
  const member = user('x', ...Array.from({ length: 36_000 }, (_, i) => `g${i}`), 'last');
  const { longest } = await turnsDuring(50, () => authorize(member, ask('get pods')));
  t.ok(longest < 50, `${longest} ms`);
  t.match((await authorize(member, ask('get pods'))).reason, /to Group "last"/);
});

t.test('a user with very many rules is authorized in several turns of the event loop', async t => {
  const policy = filled();
  const names = Array.from({ length: 40_000 }, (_, i) => `pod-${i}`);
  const rule = (resourceNames: readonly string[]) => ({
    apiGroups: [''],
    resources: ['pods'],
    resourceNames,
    verbs: ['get'],
  });
  for (let i = 0; i < 100; i++) {
    const rules = i % 2 === 0 ? [rule(names)] : names.slice(0, 7000).map(name => rule([name]));
    put(policy, 'roles', object('Role', `r${i}`, 'a', { rules }));
    put(
      policy,
      'rolebindings',
      object('RoleBinding', `b${i}`, 'a', bind('Role', `r${i}`, { kind: 'User', name: 'rich' })),
    );
  }
  put(policy, 'roles', object('Role', 'z', 'a', { rules: [rule(['last'])] }));
  put(policy, 'rolebindings', object('RoleBinding', 'z', 'a', bind('Role', 'z', { kind: 'User', name: 'rich' })));
  const authorize = rbacAuthorizer(policy);
  for (const [name, allowed] of [
    ['last', true],
    ['other', false],
  ] as const) {
    const { longest, count } = await turnsDuring(50, async () => {
      t.equal((await authorize(user('rich'), ask(`get pods a/${name}`))).allowed, allowed, name);
    });
    t.ok(longest < 50, `${longest} ms`);
    t.ok(count > 2, `${count} turns`);
  }
  const listing = await turnsDuring(50, async () => {
    t.equal((await rulesFor(policy, user('rich'), 'a')).rules.length, 50 + 50 * 7000 + 1);
  });
  t.ok(listing.longest < 50, `${listing.longest} ms`);
});

t.test('a chain of authorizers ends with the first decision', async t => {
  const chain = unionAuthorizers(masters, alwaysAllowPaths(['/healthz', '/open/*']), rbacAuthorizer(filled()));
  t.same(await chain(user('root', 'system:masters'), ask('delete nodes')), { allowed: true, reason: '' });
  t.same(await chain(user('x'), ask('get /healthz')), { allowed: true, reason: '' });
  t.same(await chain(user('x'), ask('get /healthz/etcd')), { allowed: false, reason: '' });
  t.same(await chain(user('x'), ask('get /open/door')), { allowed: true, reason: '' });
  t.ok((await chain(user('jane'), ask('get pods a/x'))).allowed);
  const slow = unionAuthorizers(
    async () => ({ allowed: false, reason: 'one' }),
    () => ({ allowed: false, reason: 'two' }),
    async () => ({ allowed: false, reason: '' }),
  );
  t.same(await slow(user('x'), ask('get pods')), { allowed: false, reason: 'one\ntwo' });
  const denying = unionAuthorizers(() => ({ allowed: false, denied: true, reason: 'no' }), masters);
  t.same(await denying(user('root', 'system:masters'), ask('get pods')), {
    allowed: false,
    denied: true,
    reason: 'no',
  });
});

t.test('refusals name the user and the request', async t => {
  const table: readonly [string, string, string, string][] = [
    [
      'u',
      'list pods ns',
      '',
      'pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "ns"',
    ],
    [
      'u',
      'get nodes /n',
      '',
      'nodes "n" is forbidden: User "u" cannot get resource "nodes" in API group "" at the cluster scope',
    ],
    [
      'u',
      'get apps./deployments/status ns/x',
      'why',
      'deployments.apps "x" is forbidden: User "u" cannot get resource "deployments/status" in API group "apps" in the namespace "ns": why',
    ],
    ['<b>&"', 'get /x', '', 'forbidden: User "&lt;b&gt;&amp;\\"" cannot get path "/x"'],
  ];
  for (const [who, text, reason, expect] of table) t.equal(refusal(user(who), ask(text), reason).message, expect);
  t.same(refusal(user('u'), ask('get apps./deployments/status ns/x'), '').status.details, {
    name: 'x',
    group: 'apps',
    kind: 'deployments',
  });
});

t.test('a role is parsed once, when its rules are first needed', async t => {
  const policy = new RbacPolicy();
  let reads = 0;
  policy.put('clusterroles', 'reader', {
    get object() {
      reads++;
      return object('ClusterRole', 'reader', '', read);
    },
  });
  put(
    policy,
    'clusterrolebindings',
    object('ClusterRoleBinding', 'b', '', bind('ClusterRole', 'reader', { kind: 'Group', name: 'g' })),
  );
  const authorize = rbacAuthorizer(policy);
  t.notOk((await authorize(user('q'), ask('get pods'))).allowed);
  t.equal(reads, 0, 'a role without bindings is not parsed');
  for (let turn = 0; turn < 3; turn++) t.ok((await authorize(user('q', 'g'), ask('get pods'))).allowed);
  t.equal(reads, 1);
});
