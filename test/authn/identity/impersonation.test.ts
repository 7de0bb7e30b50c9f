import t from 'tap';
import { impersonation } from '../../../authn/identity/impersonation.js';
import type { Attributes, Authorizer } from '../../../authn/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { turnsDuring } from '../../turns.js';
import type { Identity } from '../../../apimachinery/identity.js';

const listPods: Attributes = {
  type: 'resource',
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: '',
};

const text = (a: Attributes): string =>
  a.type === 'path'
    ? `${a.verb} ${a.path}`
    : `${a.verb} ${a.group}/${a.resource}${a.subresource && `/${a.subresource}`} ${a.namespace}/${a.name}`;

/** An authorizer that allows the listed requests, and records all requests. */
function allowing(...rights: readonly string[]): { authorize: Authorizer; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    authorize: (_user, attributes) => {
      asked.push(text(attributes));
      return { allowed: rights.includes(text(attributes)), reason: '' };
    },
  };
}

/** Returns the headers of a request as a user with so many groups and extra values. */
const manyValues = (count: number): Record<string, string | string[]> => ({
  'impersonate-user': 'jane',
  'impersonate-group': Array.from({ length: count }, (_, i) => `g${i}`),
  'impersonate-extra-x': Array.from({ length: count }, (_, i) => `v${i}`),
});

t.test('tens of thousands of groups and values are checked in several turns of the event loop', async t => {
  // It allows one group after a search through all of them, as a role that names them does.
  const names = Array.from({ length: 20_000 }, (_, i) => `g${i}`);
  const authorize: Authorizer = (_user, attributes) => ({
    allowed: attributes.type === 'resource' && (attributes.resource !== 'groups' || names.includes(attributes.name)),
    reason: '',
  });
  const plain: Identity = { name: 'proxy', groups: [] };
  const impersonate = impersonation(authorize);
  const { longest } = await turnsDuring(50, () => impersonate(plain, manyValues(20_000), listPods));
  t.ok(longest < 50, `${longest} ms`);
});

/** Returns headers whose names are percent-encodings of the same key. */
const oneKey = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, bits) => {
      const key = Array.from({ length: 15 }, (_, i) => ((bits >> i) & 1 ? '%61' : 'a')).join('');
      return [`impersonate-extra-${key}`, `v${bits}`];
    }),
  );

t.test(
  'tens of thousands of extra headers are read in several turns of the event loop, also if all have one key',
  async t => {
    const count = 16_000;
    const impersonate = impersonation(() => ({ allowed: true, reason: '' }));
    const headers = { 'impersonate-user': 'jane', ...oneKey(count) };
    let user: Identity | undefined;
    const { longest } = await turnsDuring(50, async () => {
      user = (await impersonate({ name: 'proxy', groups: [] }, headers, listPods))?.user;
    });
    t.ok(longest < 50, `${longest} ms`);
    t.same(
      Object.entries(user?.extra ?? {}).map(([key, values]) => [key, values.length]),
      [['a'.repeat(15), count]],
    );
  },
);

const admin: Identity = { name: 'root', groups: ['system:masters'] };
const everything: Authorizer = () => ({ allowed: true, reason: '' });

t.test('the impersonated user is read from the headers', async t => {
  const table: readonly [string, Record<string, string | string[]>, Identity][] = [
    ['a user', { 'impersonate-user': 'jane' }, { name: 'jane', groups: ['system:authenticated'] }],
    [
      'with groups',
      { 'impersonate-user': 'jane', 'impersonate-group': ['devs', 'a,b'] },
      { name: 'jane', groups: ['devs', 'a,b', 'system:authenticated'] },
    ],
    [
      'with uid and extra',
      { 'impersonate-user': 'jane', 'impersonate-uid': '42', 'impersonate-extra-scope%2fx': ['view', 'edit'] },
      { name: 'jane', uid: '42', groups: ['system:authenticated'], extra: { 'scope/x': ['view', 'edit'] } },
    ],
    [
      'with extra that has names like those that all objects have',
      { 'impersonate-user': 'jane', 'impersonate-extra-constructor': 'a', 'impersonate-extra-tostring': 'b' },
      { name: 'jane', groups: ['system:authenticated'], extra: { constructor: ['a'], tostring: ['b'] } },
    ],
    [
      'a service account',
      { 'impersonate-user': 'system:serviceaccount:ns:sa' },
      {
        name: 'system:serviceaccount:ns:sa',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
    ],
    [
      'a service account with groups of its own',
      { 'impersonate-user': 'system:serviceaccount:ns:sa', 'impersonate-group': 'g' },
      { name: 'system:serviceaccount:ns:sa', groups: ['g', 'system:authenticated'] },
    ],
    [
      'a node',
      { 'impersonate-user': 'system:node:n1' },
      { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
    ],
    [
      'nobody',
      { 'impersonate-user': 'system:anonymous' },
      { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    ],
    [
      'unauthenticated',
      { 'impersonate-user': 'x', 'impersonate-group': 'system:unauthenticated' },
      { name: 'x', groups: ['system:unauthenticated'] },
    ],
  ];
  for (const [name, headers, expect] of table)
    t.same((await impersonation(everything)(admin, headers, listPods))?.user, expect, name);
  t.equal(await impersonation(everything)(admin, { accept: '*/*' }, listPods), undefined);
});

t.test('groups or extras without a user are refused', async t => {
  const headers = { 'impersonate-group': ['a', 'b'], 'impersonate-extra-x': 'y' };
  await t.rejects(impersonation(everything)(admin, headers, listPods), {
    code: 400,
    message:
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string{"x":[]string{"y"}}} without impersonating a user name',
  });
  await t.rejects(impersonation(everything)(admin, { 'impersonate-uid': '1' }, listPods), {
    message:
      'requested &user.DefaultInfo{Name:"", UID:"1", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
  });
});

const bob: Identity = { name: 'bob', groups: [] };

t.test('impersonation needs rights on each part of the identity', async t => {
  const table: readonly [string, Record<string, string | string[]>, readonly string[], string | undefined][] = [
    ['plain', { 'impersonate-user': 'jane' }, ['impersonate /users /jane'], ''],
    [
      'plain, every part',
      { 'impersonate-user': 'jane', 'impersonate-uid': '1', 'impersonate-group': 'g', 'impersonate-extra-k': 'v' },
      [
        'impersonate /users /jane',
        'impersonate authentication.k8s.io/uids /1',
        'impersonate /groups /g',
        'impersonate authentication.k8s.io/userextras/k /v',
      ],
      '',
    ],
    [
      'plain, a part is missing',
      { 'impersonate-user': 'jane', 'impersonate-group': 'g' },
      ['impersonate /users /jane'],
      undefined,
    ],
    [
      'plain, an account',
      { 'impersonate-user': 'system:serviceaccount:ns:sa' },
      ['impersonate /serviceaccounts ns/sa'],
      '',
    ],
    [
      'user-info',
      { 'impersonate-user': 'jane' },
      ['impersonate-on:user-info:list /pods ns/', 'impersonate:user-info authentication.k8s.io/users /jane'],
      'impersonate:user-info',
    ],
    ['user-info, only on', { 'impersonate-user': 'jane' }, ['impersonate-on:user-info:list /pods ns/'], undefined],
    [
      'user-info, not for nodes',
      { 'impersonate-user': 'system:node:n' },
      ['impersonate-on:user-info:list /pods ns/', 'impersonate:user-info authentication.k8s.io/users /system:node:n'],
      undefined,
    ],
    [
      'serviceaccount',
      { 'impersonate-user': 'system:serviceaccount:ns:sa' },
      [
        'impersonate-on:serviceaccount:list /pods ns/',
        'impersonate:serviceaccount authentication.k8s.io/serviceaccounts ns/sa',
      ],
      'impersonate:serviceaccount',
    ],
    [
      'arbitrary-node',
      { 'impersonate-user': 'system:node:n' },
      ['impersonate-on:arbitrary-node:list /pods ns/', 'impersonate:arbitrary-node authentication.k8s.io/nodes /n'],
      'impersonate:arbitrary-node',
    ],
    [
      'many groups at once',
      { 'impersonate-user': 'jane', 'impersonate-group': ['a', 'b', 'c', 'd'] },
      [
        'impersonate-on:user-info:list /pods ns/',
        'impersonate:user-info authentication.k8s.io/users /jane',
        'impersonate:user-info authentication.k8s.io/groups /*',
      ],
      'impersonate:user-info',
    ],
  ];
  for (const [name, headers, rights, constraint] of table) {
    const { authorize } = allowing(...rights);
    const answer = impersonation(authorize)(bob, headers, listPods);
    if (constraint === undefined) await t.rejects(answer, { code: 403 }, name);
    else t.equal((await answer)?.constraint, constraint, name);
  }
});

t.test('an agent may impersonate only its own node', async t => {
  const agent = (node: string): Identity => ({
    name: 'system:serviceaccount:ns:agent',
    groups: [],
    extra: { 'authentication.kubernetes.io/node-name': [node], other: ['x'] },
  });
  const { authorize } = allowing(
    'impersonate-on:associated-node:list /pods ns/',
    'impersonate:associated-node authentication.k8s.io/nodes /*',
  );
  const headers = { 'impersonate-user': 'system:node:n' };
  const done = await impersonation(authorize)(agent('n'), headers, listPods);
  t.equal(done?.constraint, 'impersonate:associated-node');
  await t.rejects(impersonation(authorize)(agent('m'), headers, listPods), { code: 403 });
});

t.test('refusals name the first missing right', async t => {
  const refused = async (rights: readonly string[], headers: Record<string, string | string[]>): Promise<string> => {
    try {
      await impersonation(allowing(...rights).authorize)(bob, headers, listPods);
    } catch (error) {
      if (error instanceof StatusError) return error.message;
    }
    return 'allowed';
  };
  t.equal(
    await refused([], { 'impersonate-user': 'jane' }),
    'pods is forbidden: User "bob" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "ns"',
  );
  const on = 'impersonate-on:user-info:list /pods ns/';
  t.equal(
    await refused([on], { 'impersonate-user': 'jane' }),
    'users.authentication.k8s.io "jane" is forbidden: User "bob" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
  );
  const user = 'impersonate:user-info authentication.k8s.io/users /jane';
  t.equal(
    await refused([on, user], { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }),
    'groups.authentication.k8s.io "system:masters" is forbidden: User "bob" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
  );
  t.equal(
    await refused([on, user], { 'impersonate-user': 'jane', 'impersonate-extra-scopes': 'x' }),
    'userextras.authentication.k8s.io is forbidden: User "bob" cannot impersonate:user-info resource "userextras" in API group "authentication.k8s.io" at the cluster scope: impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")',
  );
});

t.test('the last successful mode is tried first', async t => {
  const { authorize, asked } = allowing('impersonate /users /jane', 'impersonate /users /joe');
  const act = impersonation(authorize);
  await act(bob, { 'impersonate-user': 'jane' }, listPods);
  asked.length = 0;
  await act(bob, { 'impersonate-user': 'joe' }, listPods);
  t.same(asked, ['impersonate /users /joe']);
  await t.rejects(act(bob, { 'impersonate-user': 'ann' }, listPods), {
    message:
      'users "ann" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
  });
});
