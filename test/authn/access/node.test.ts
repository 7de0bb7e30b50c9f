import t from 'tap';
import { nodeAuthorizer } from '../../../authn/access/node.js';
import { RbacPolicy } from '../../../authn/access/policy.js';
import type { Attributes } from '../../../authn/interface.js';
import { put } from './put.js';

const policy = new RbacPolicy();
put(policy, 'clusterroles', {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'system:node' },
  rules: [
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['services', 'secrets'] },
    { verbs: ['create', 'delete'], apiGroups: [''], resources: ['pods'] },
  ],
});

t.test('the node authorizer allows what kubelets need', async t => {
  const authorize = nodeAuthorizer(policy);
  const node = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
  const ask = (text: string, more: object = {}): Attributes => {
    const [verb = '', what = '', where = '/'] = text.split(' ');
    const [group = '', resource = '', subresource = ''] = what.split('/');
    const [namespace = '', name = ''] = where.split('/');
    return { type: 'resource', verb, group, version: 'v1', resource, subresource, namespace, name, ...more };
  };
  const table: readonly [Attributes, boolean, string][] = [
    [ask('list /services'), true, ''],
    [ask('delete /services ns/x'), false, ''],
    [ask('get /secrets ns/x'), false, "no relationship found between node 'n1' and this object"],
    [ask('get /nodes /n1'), true, ''],
    [ask('get /nodes /n2'), false, "node 'n1' cannot read 'n2', only its own Node object"],
    [ask('list /nodes'), false, "node 'n1' cannot read all nodes, only its own Node object"],
    [ask('patch /nodes/status /n1'), true, ''],
    [ask('delete /nodes /n1'), false, ''],
    [ask('list /pods', { fieldSelector: 'spec.nodeName=n1' }), true, ''],
    [ask('list /pods'), false, 'can only list/watch pods with spec.nodeName field selector'],
    [ask('create /pods ns/'), true, ''],
    [ask('get coordination.k8s.io/leases kube-node-lease/n1'), true, ''],
    [ask('create coordination.k8s.io/leases kube-node-lease/'), true, ''],
    [
      ask('get coordination.k8s.io/leases kube-node-lease/n2'),
      false,
      'can only access node lease with the same name as the requesting node',
    ],
    [
      ask('get coordination.k8s.io/leases default/n1'),
      false,
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [ask('list storage.k8s.io/csinodes'), false, 'can only get, create, update, patch, or delete a CSINode'],
  ];
  for (const [attributes, allowed, reason] of table)
    t.same(await authorize(node, attributes), { allowed, reason }, JSON.stringify(attributes));
  t.same(await authorize({ name: 'system:node:n1', groups: [] }, ask('list /services')), {
    allowed: false,
    reason: '',
  });
  t.same(await authorize({ name: 'jane', groups: ['system:nodes'] }, ask('list /services')), {
    allowed: false,
    reason: '',
  });
});
