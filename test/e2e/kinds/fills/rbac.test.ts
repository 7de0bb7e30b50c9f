/** RoleBindings: defaults. */
import { fills } from './fills.js';

fills('clusterrolebindings', [
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

fills('rolebindings', [
  {
    name: 'a user',
    given: { roleRef: { kind: 'Role', name: 'x' }, subjects: [{ kind: 'User', name: 'u' }] },
    expect: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u' }],
    },
  },
]);
