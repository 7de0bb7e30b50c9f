/** RoleBindings: defaults. */
import { testDefaults } from './defaults.js';

testDefaults('clusterrolebindings', [
  {
    name: 'subjects',
    given: {
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
    expect: {
      subjects: [
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
        { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    },
  },
]);

testDefaults('rolebindings', [
  {
    name: 'a user',
    given: { roleRef: { kind: 'Role', name: 'x' }, subjects: [{ kind: 'User', name: 'u' }] },
    expect: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' }],
    },
  },
]);
