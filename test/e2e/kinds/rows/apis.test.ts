/** Role bindings and APIServices: rows of Tables. */
import { servedElsewhere } from '../manifests.js';
import { age, rows } from './rows.js';

rows('clusterrolebindings', [
  {
    name: 'a binding without subjects',
    given: { roleRef: { kind: 'ClusterRole', name: 'x', apiGroup: 'rbac.authorization.k8s.io' } },
    expect: ['ClusterRole/x', age, '', '', ''],
  },
]);

rows('rolebindings', [
  {
    name: 'a binding',
    given: {
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin', apiGroup: 'rbac.authorization.k8s.io' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
    expect: ['ClusterRole/cluster-admin', age, 'u', 'g', 'n/s'],
  },
]);

rows('apiservices', [
  {
    name: 'served by an extension API server',
    given: { metadata: { name: 'v1.a.b' }, spec: servedElsewhere },
    status: { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound', message: 'm' }] },
    expect: ['n/s', 'False (ServiceNotFound)', age],
  },
]);
