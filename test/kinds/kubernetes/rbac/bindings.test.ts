import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'role bindings are validated',
  async t =>
    await faultTable(
      t,
      ['rbac.authorization.k8s.io', 'RoleBinding'],
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'n', namespace: 'space' },
        roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
      },
      [
        {
          name: 'an invalid role reference',
          given: { roleRef: { kind: 'X', name: '', apiGroup: 'y' } },
          expect: [
            ['roleRef.apiGroup', 'Unsupported value: "y": supported values: "rbac.authorization.k8s.io"'],
            ['roleRef.kind', 'Unsupported value: "X": supported values: "Role", "ClusterRole"'],
            ['roleRef.name', 'Required value'],
          ],
        },
        {
          name: 'an invalid name',
          given: { roleRef: { name: 'a/b' } },
          expect: [['roleRef.name', `Invalid value: "a/b": may not contain '/'`]],
        },
        {
          name: 'a changed role',
          old: {},
          given: { roleRef: { name: 'q' } },
          expect: [
            [
              'roleRef',
              'Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"q"}: cannot change roleRef',
            ],
          ],
        },
        {
          name: 'subjects',
          given: {
            subjects: [
              { kind: 'X', name: '' },
              { kind: 'ServiceAccount', name: 'A', apiGroup: 'x' },
              { kind: 'User', name: 'u', apiGroup: 'x' },
              { kind: 'Group', name: '' },
            ],
          },
          expect: [
            ['subjects[0].name', 'Required value'],
            ['subjects[0].kind', 'Unsupported value: "X": supported values: "ServiceAccount", "User", "Group"'],
            ['subjects[1].name', `Invalid value: "A": ${texts.dns1123Subdomain}`],
            ['subjects[1].apiGroup', 'Unsupported value: "x": supported values: ""'],
            ['subjects[2].apiGroup', 'Unsupported value: "x": supported values: "rbac.authorization.k8s.io"'],
            ['subjects[3].name', 'Required value'],
          ],
        },
      ],
    ),
);

t.test(
  'cluster role bindings are validated',
  async t =>
    await faultTable(
      t,
      ['rbac.authorization.k8s.io', 'ClusterRoleBinding'],
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'n' },
        roleRef: { kind: 'ClusterRole', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
      },
      [
        {
          name: 'a role of a namespace',
          given: { roleRef: { kind: 'Role' } },
          expect: [['roleRef.kind', 'Unsupported value: "Role": supported values: "ClusterRole"']],
        },
        {
          name: 'an account without a namespace',
          given: { subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
          expect: [['subjects[0].namespace', 'Required value']],
        },
      ],
    ),
);

t.test(
  'aggregation rules are validated',
  async t =>
    await faultTable(
      t,
      ['rbac.authorization.k8s.io', 'ClusterRole'],
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'n' }, rules: [] },
      [
        {
          name: 'no selectors',
          given: { aggregationRule: {} },
          expect: [
            [
              'aggregationRule.clusterRoleSelectors',
              'Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
            ],
          ],
        },
        {
          name: 'a selector with an unknown operator',
          given: { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'X' }] }] } },
          expect: [
            [
              'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator',
              'Invalid value: "X": not a valid selector operator',
            ],
            ['aggregationRule.clusterRoleSelectors[0]', 'Invalid value: null: invalid label selector.'],
          ],
        },
      ],
    ),
);
