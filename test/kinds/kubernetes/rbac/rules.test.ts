import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { ResourceDefinition } from '../../../../registry/interface.js';
import { nativeDefinitions } from '../../../../kinds/kubernetes/native.js';
import { refusalOf, replayRefusals, strategyContext } from '../recorded.js';

const definitions = nativeDefinitions().filter(({ group }) => group === 'rbac.authorization.k8s.io');

function definitionOf(kind: string): ResourceDefinition {
  const found = definitions.find(definition => definition.kind === kind);
  if (found === undefined) throw new Error(kind);
  return found;
}

const object = (kind: string, body: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'a' },
  ...body,
});

t.test('recorded refusals are repeated', async t => {
  t.ok((await replayRefusals(t, definitions)) >= 7);
});

t.test('names are path segments', async t => {
  const { nameFaults, createOnUpdate } = definitionOf('Role').strategy;
  t.ok(createOnUpdate);
  t.same(nameFaults('system:x', false), []);
  t.same(nameFaults('a/b', false), ["may not contain '/'"]);
  t.same(nameFaults('.', false), ["may not be '.'"]);
});

t.test('valid rules are accepted', async t => {
  const table: readonly [string, object][] = [
    ['Role', { rules: [] }],
    ['Role', { rules: null }],
    ['ClusterRole', { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }],
    ['ClusterRole', { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }],
    ['ClusterRoleBinding', { roleRef: { kind: 'ClusterRole', name: 'x' }, subjects: [{ kind: 'Group', name: 'g' }] }],
    ['RoleBinding', { roleRef: { kind: 'Role', name: 'x' }, subjects: [{ kind: 'ServiceAccount', name: 'sa' }] }],
  ];
  for (const [kind, body] of table)
    t.equal(
      (await refusalOf(definitionOf(kind), object(kind, body))).details?.causes,
      undefined,
      `${kind} ${JSON.stringify(body)}`,
    );
});

t.test('API groups of bindings have defaults, and the role cannot be changed', async t => {
  const definition = definitionOf('ClusterRoleBinding');
  const roleRef = { kind: 'ClusterRole', name: 'x' };
  const draft = object('ClusterRoleBinding', {
    roleRef: { ...roleRef },
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's' },
    ],
  });
  definition.defaults?.(draft, 'v1');
  const apiGroup = 'rbac.authorization.k8s.io';
  t.same(draft['roleRef'], { ...roleRef, apiGroup });
  t.same(draft['subjects'], [
    { kind: 'User', name: 'u', apiGroup },
    { kind: 'Group', name: 'g', apiGroup },
    { kind: 'ServiceAccount', name: 's' },
  ]);
  t.same(
    (await refusalOf(definition, draft)).message,
    'ClusterRoleBinding.rbac.authorization.k8s.io "a" is invalid: subjects[2].namespace: Required value',
  );
  const changed = object('ClusterRoleBinding', { roleRef: { apiGroup, kind: 'ClusterRole', name: 'y' } });
  const faults = definition.strategy.validateUpdate.flatMap(rule => rule(changed, draft, strategyContext('update')));
  t.same(faults, [
    {
      reason: 'FieldValueInvalid',
      path: 'roleRef',
      message: `Invalid value: {"APIGroup":"${apiGroup}","Kind":"ClusterRole","Name":"y"}: cannot change roleRef`,
    },
  ]);
});

t.test('bindings are printed as a table', async t => {
  const { versions } = definitionOf('RoleBinding');
  const row = versions[0]?.printer.row(
    object('RoleBinding', {
      metadata: { name: 'a', creationTimestamp: '2026-01-02T03:00:00Z' },
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'User', name: 'v' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    }),
    new Date('2026-01-02T03:00:07Z'),
  );
  t.same(row, ['a', 'Role/r', '7s', 'u, v', '', 'n/s']);
});
