import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { cloneJson } from '../../../../lib/json/clone.js';
import type { Client } from '../../../../client/interface.js';
import type { Identity } from '../../../../apimachinery/identity.js';
import { admin, serve, until } from '../../../authn/serve.js';
import { causes } from '../../../registry/serve.js';

const claims = { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims' };
const namespace = 'default';
const rbac = (kind: string, name: string, more: object): KubeObject => ({
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name } },
  ...more,
});

/** Rules that each user has in addition to `resourceclaims/status`, in all namespaces. */
const rights: Readonly<Record<string, object[]>> = {
  nobody: [],
  scheduler: [{ resources: ['resourceclaims/binding'], verbs: ['update'] }],
  driver: [
    { resources: ['resourceclaims/driver'], verbs: ['arbitrary-node:update'], resourceNames: ['gpu.example.com'] },
  ],
  'system:serviceaccount:ns:plugin': [{ resources: ['resourceclaims/driver'], verbs: ['associated-node:update'] }],
};

const result = { request: 'r', driver: 'gpu.example.com', pool: 'p', device: 'd' };
const onNodes = (...names: string[]): object => ({
  nodeSelectorTerms: names.map(name => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] })),
});
const allocation = { devices: { results: [result] }, nodeSelector: onNodes('n1') };
const onTwo = { ...allocation, nodeSelector: onNodes('n1', 'n2') };
const deviceStatus = (driver = 'gpu.example.com'): object => ({ driver, pool: 'p', device: 'd' });

const forbids = (user: string, verb: string, what: string, name: string, where: string): string =>
  `resourceclaims.resource.k8s.io ${name === '' ? '' : `"${name}" `}is forbidden: User "${user}" cannot ${verb} resource "resourceclaims/${what}" in API group "resource.k8s.io" ${where}`;
const noBinding = (user: string, verb = 'update'): string =>
  `status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${forbids(user, verb, 'binding', '', 'at the cluster scope')}`;
const noDevice = (user: string, verbs: string[], driver = 'gpu.example.com'): string =>
  `status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${forbids(user, verbs[0] ?? '', 'driver', driver, 'in the namespace "default"')}`;
const anywhere = ['arbitrary-node:update'];
const here = ['associated-node:update', 'arbitrary-node:update'];

interface Attempt {
  readonly name: string;
  readonly as: string;
  /** Node names in the token of the user. */
  readonly node?: string[];
  readonly from?: object;
  readonly to: object;
  readonly patched?: true;
  readonly faults: string[];
}

const account = 'system:serviceaccount:ns:plugin';
const attempts: Attempt[] = [
  { name: 'nothing changes', as: 'nobody', from: { allocation }, to: { allocation }, faults: [] },
  { name: 'an allocation', as: 'nobody', to: { allocation }, faults: [noBinding('nobody')] },
  {
    name: 'an allocation, patched',
    as: 'scheduler',
    to: { allocation },
    patched: true,
    faults: [noBinding('scheduler', 'patch')],
  },
  { name: 'an allocation by a user that may bind', as: 'scheduler', to: { allocation }, faults: [] },
  {
    name: 'a reservation',
    as: 'driver',
    from: { allocation },
    to: { allocation, reservedFor: [{ resource: 'pods', name: 'a', uid: 'u' }] },
    faults: [noBinding('driver')],
  },
  {
    name: 'a device status',
    as: 'nobody',
    from: { allocation },
    to: { allocation, devices: [deviceStatus()] },
    faults: [noDevice('nobody', anywhere)],
  },
  {
    name: 'a device status by its driver',
    as: 'driver',
    from: { allocation },
    to: { allocation, devices: [deviceStatus()] },
    faults: [],
  },
  {
    name: 'a device status of another driver',
    as: 'driver',
    from: { allocation: { devices: { results: [{ ...result, driver: 'x.example.com' }] } } },
    to: {
      allocation: { devices: { results: [{ ...result, driver: 'x.example.com' }] } },
      devices: [deviceStatus('x.example.com')],
    },
    faults: [noDevice('driver', anywhere, 'x.example.com')],
  },
  {
    name: 'a device status is removed',
    as: 'nobody',
    from: { allocation, devices: [deviceStatus()] },
    to: { allocation },
    faults: [noDevice('nobody', anywhere)],
  },
  {
    name: 'a device status is removed with its allocation, by any user',
    as: 'scheduler',
    from: { allocation, devices: [deviceStatus()] },
    to: { devices: [deviceStatus()] },
    faults: [],
  },
  {
    name: 'a device status from the node of the allocation',
    as: account,
    node: ['n1'],
    from: { allocation },
    to: { allocation, devices: [deviceStatus()] },
    faults: [],
  },
  {
    name: 'a device status from another node',
    as: account,
    node: ['n2'],
    from: { allocation },
    to: { allocation, devices: [deviceStatus()] },
    faults: [noDevice(account, anywhere)],
  },
  {
    name: 'a device status with two nodes in the token',
    as: account,
    node: ['n1', 'n2'],
    from: { allocation },
    to: { allocation, devices: [deviceStatus()] },
    faults: [noDevice(account, anywhere)],
  },
  {
    name: 'a device status of an allocation on several nodes',
    as: account,
    node: ['n1'],
    from: { allocation: onTwo },
    to: { allocation: onTwo, devices: [deviceStatus()] },
    faults: [noDevice(account, anywhere)],
  },
  {
    name: 'a device status from its node, without the permission',
    as: 'system:serviceaccount:ns:other',
    node: ['n1'],
    from: { allocation },
    to: { allocation, devices: [deviceStatus()] },
    faults: [noDevice('system:serviceaccount:ns:other', here)],
  },
  {
    name: 'authorization is checked before validation',
    as: 'nobody',
    node: ['n1'],
    from: { allocation },
    to: { allocation, devices: [deviceStatus(), deviceStatus()] },
    faults: [noDevice('nobody', anywhere), 'status.devices[1]: Duplicate value: "gpu.example.com/p/d"'],
  },
  {
    name: 'admin access',
    as: 'scheduler',
    to: { allocation: { devices: { results: [{ ...result, adminAccess: true }] } } },
    faults: [
      'status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
    ],
  },
];

async function attempt(
  client: Client,
  user: Client,
  name: string,
  { from = {}, to, patched }: Attempt,
): Promise<string[]> {
  const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
  const spec = { devices: { requests: [{ name: 'r', exactly }] } };
  const created = await client.create(claims, {
    ...{ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name, namespace }, spec },
  });
  const before = await client.update(claims, { ...cloneJson(created), status: from }, { subresource: 'status' });
  const write = { subresource: 'status', dryRun: true };
  if (patched) return causes(user.patch(claims, { namespace, name }, { type: 'merge', patch: { status: to } }, write));
  return causes(user.update(claims, { ...cloneJson(before), status: to }, write));
}

t.test('writes of the status of a claim need additional permissions', async t => {
  const { client, clientFor, authn } = await serve(t);
  const core = { group: '', version: 'v1', resource: 'namespaces' };
  await client.create(core, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
  for (const [name, rules] of Object.entries(rights)) {
    const all = rules.map(rule => ({ apiGroups: ['resource.k8s.io'], ...rule }));
    await client.create(roles, rbac('ClusterRole', name, { rules: all }));
    const roleRef = { apiGroup: roles.group, kind: 'ClusterRole', name };
    const subjects = [{ apiGroup: roles.group, kind: 'User', name }];
    await client.create(
      { ...roles, resource: 'clusterrolebindings' },
      rbac('ClusterRoleBinding', name, { roleRef, subjects }),
    );
  }
  const asks = {
    type: 'resource',
    group: 'resource.k8s.io',
    version: 'v1',
    resource: 'resourceclaims',
    subresource: 'driver',
  };
  const last = { ...asks, verb: 'associated-node:update', namespace, name: 'x' } as const;
  const knows = async (): Promise<boolean> =>
    (await authn.authorize({ name: account, groups: [] }, { ...last, type: 'resource' })).allowed;
  await until(knows);

  for (const [i, one] of attempts.entries()) {
    const extra = one.node && { 'authentication.kubernetes.io/node-name': one.node };
    const user: Identity = { name: one.as, groups: ['system:authenticated'], ...(extra && { extra }) };
    t.same(await attempt(client, clientFor(user), `c${i}`, one), one.faults, one.name);
  }
  t.same(await attempt(client, clientFor(admin), 'admin', { name: '', as: '', to: { allocation }, faults: [] }), []);
});
