/** A control plane and members, all in this process, which are joined with an address and secrets as karmadactl does it. */
import type { Test } from 'tap';
import type { RemoteClient } from '../../aggregation/interface.js';
import { remote } from '../../aggregation/remote/client.js';
import { aggregation } from '../../cli/parts/aggregation.js';
import type { ServerConfig } from '../../server/config.js';
import type { RunningServer } from '../../server/start-server.js';
import { toBase64 } from '../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { isAlreadyExists } from '../../apimachinery/errors/status.js';
import { resources } from '../../api/karmada/well-known.js';
import { runningServer, type TestServer } from '../apiserver/running.js';

export const core = (resource: string) => ({ group: '', version: 'v1', resource });
export const rbac = (resource: string) => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });

export const object = (apiVersion: string, kind: string, name: string, more: object = {}): KubeObject => {
  const { metadata, ...rest } = more as { metadata?: object };
  return { apiVersion, kind, metadata: { name, ...metadata }, ...rest };
};

export const controlPlane = (t: Test, config: Partial<ServerConfig> = {}): Promise<TestServer> =>
  runningServer(t, { profile: 'karmada', parts: [aggregation()], ...config });

export const memberServer = (t: Test): Promise<TestServer> => runningServer(t, { profile: 'kubernetes' });

const impersonator = { name: 'karmada-impersonator', namespace: 'karmada-cluster' };

/** Creates a namespace and an account that may impersonate anybody, and returns the token of the account. */
async function impersonatorToken({ client }: RunningServer): Promise<string> {
  await client.create(core('namespaces'), object('v1', 'Namespace', impersonator.namespace));
  const metadata = { namespace: impersonator.namespace };
  await client.create(core('serviceaccounts'), object('v1', 'ServiceAccount', impersonator.name, { metadata }));
  const rules = [
    { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
  ];
  await client.create(
    rbac('clusterroles'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', impersonator.name, { rules }),
  );
  await grant(client, impersonator.name, { kind: 'ServiceAccount', ...impersonator }, impersonator.name);
  const request = object('authentication.k8s.io/v1', 'TokenRequest', '', { spec: { expirationSeconds: 3600 } });
  const token = await client.create(
    core('serviceaccounts'),
    { ...request, metadata },
    { name: impersonator.name, subresource: 'token' },
  );
  return (token['status'] as { token: string }).token;
}

export async function grant(client: TestServer['client'], name: string, subject: object, role: string): Promise<void> {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
  await client.create(
    rbac('clusterrolebindings'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', name, { roleRef, subjects: [subject] }),
  );
}

interface Joining {
  /** Absent: the cluster is in pull mode, and has no address. */
  readonly server?: string;
  readonly authority?: string;
  readonly token: string;
}

/** Creates the Cluster object and its two secrets. */
export async function join(
  control: Pick<TestServer, 'client'>,
  name: string,
  { server, authority, token }: Joining,
): Promise<void> {
  const namespace = 'karmada-cluster';
  const made = control.client.create(core('namespaces'), object('v1', 'Namespace', namespace));
  await made.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const secret = (name: string, data: Record<string, string>): Promise<KubeObject> =>
    control.client.create(core('secrets'), object('v1', 'Secret', name, { metadata: { namespace }, data }));
  await secret(name, { token: toBase64(token), ...(authority ? { caBundle: toBase64(authority) } : {}) });
  await secret(`${name}-impersonator`, { token: toBase64(token) });
  await control.client.create(
    resources.clusters,
    object('cluster.karmada.io/v1alpha1', 'Cluster', name, {
      spec: {
        ...(server === undefined ? { syncMode: 'Pull' } : { syncMode: 'Push', apiEndpoint: server }),
        secretRef: { namespace, name },
        impersonatorSecretRef: { namespace, name: `${name}-impersonator` },
        ...(authority ? {} : { insecureSkipTLSVerification: true }),
      },
    }),
  );
}

export async function joinMember(control: Pick<TestServer, 'client'>, name: string, member: TestServer): Promise<void> {
  const token = await impersonatorToken(member);
  await join(control, name, { server: member.url, authority: member.pki.authority.certificate, token });
}

/** Registers a member in pull mode, without an address. */
export async function joinPulled(control: TestServer, name: string, member: RunningServer): Promise<void> {
  const token = await impersonatorToken(member);
  await join(control, name, { authority: member.pki.authority.certificate, token });
}

interface Fleet {
  readonly control: TestServer;
  readonly members: readonly TestServer[];
}

/** Starts a control plane and members that have joined it as member1, member2 and so on. With `ready` their clusters have the condition Ready. */
export async function startFleet(t: Test, count: number, { ready = false } = {}): Promise<Fleet> {
  const [control, ...members] = await Promise.all([
    controlPlane(t),
    ...Array.from({ length: count }, () => memberServer(t)),
  ]);
  for (const [i, member] of members.entries()) {
    await joinMember(control, `member${i + 1}`, member);
    if (ready) await setReady(control, `member${i + 1}`, 'True');
  }
  return { control, members };
}

/** Returns a client for the paths that the control plane serves below a path, as its administrator. */
export function clientBelow(t: Test, { url, pki: { authority, admin } }: TestServer, path: string): RemoteClient {
  const identity = { clientCertificate: admin.certificate, clientKey: admin.key };
  const client = remote({ server: url + path, ca: authority.certificate, ...identity }, { userAgent: 'test/1.0' });
  t.teardown(() => client.close());
  return client;
}

/** Sets the Ready condition of a cluster, in place of the status controller. */
export async function setReady(
  control: Pick<TestServer, 'client'>,
  name: string,
  status: 'True' | 'False',
): Promise<void> {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const ready = { type: 'Ready', status, reason: 'ClusterReady', message: 'set by the test', lastTransitionTime };
  const patch = { status: { conditions: [ready] } };
  await control.client.patch(resources.clusters, { name }, { type: 'merge', patch }, { subresource: 'status' });
}
