/** How a cluster joins in push mode: accounts for the control plane in the member, their tokens and the Cluster in the control plane. */
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { StatusError, hasReason } from '../../apimachinery/errors/status.js';
import { follow } from '../../client/watch/follow.js';
import type { Client } from '../../client/interface.js';
import { impersonationSecretName, memberRoleName, memberServiceAccountName } from '../../api/karmada/names.js';
import type { Cluster } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { core, rbac } from './resources.js';

const namespaces = core('namespaces');
const serviceAccounts = core('serviceaccounts');
const secrets = core('secrets');

const marks = { [labels.system]: 'true' };

export interface Joining {
  readonly name: string;
  readonly control: Client;
  readonly member: Client;
  /** Where the control plane reaches the member: `https://HOST:PORT`. */
  readonly endpoint: string;
  /** PEM. */
  readonly authority: string;
  /** `--cluster-namespace`: where the accounts and secrets live, on both sides. */
  readonly namespace?: string;
  /** How the member gives out the tokens that the control plane will use. */
  readonly tokens: TokenSource;
  /** What else is known about the cluster: provider, region, zones. */
  readonly facts?: Pick<Cluster['spec'], 'provider' | 'region' | 'zones'>;
}

/** Yields a token of a ServiceAccount of the member. */
export type TokenSource = (member: Client, account: string, namespace: string) => Promise<string>;

/**
 * Makes what is missing and renews what is there, so that a cluster can join again at a new address. as `karmadactl join`
 */
export async function joinCluster(joining: Joining): Promise<void> {
  const { name, control, member, namespace = 'karmada-cluster' } = joining;
  const account = memberServiceAccountName(name);
  const impersonator = memberServiceAccountName('impersonator');
  await ensureNamespace(member, namespace);
  for (const own of [impersonator, account])
    await ensure(member, serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: own, namespace, labels: marks },
    });
  await grantEverything(member, account, namespace);
  const [token, impersonatorToken, id] = await Promise.all([
    joining.tokens(member, account, namespace),
    joining.tokens(member, impersonator, namespace),
    member.get(namespaces, { name: 'kube-system' }).then(({ metadata }) => metadata.uid ?? ''),
  ]);

  await ensureNamespace(control, namespace);
  const secretName = impersonationSecretName(name);
  const spec = {
    syncMode: 'Push' as const,
    apiEndpoint: joining.endpoint,
    id,
    secretRef: { namespace, name },
    impersonatorSecretRef: { namespace, name: secretName },
    ...joining.facts,
  };
  const data = { caBundle: base64(joining.authority), token: base64(token) };
  await ensureSecret(control, { namespace, name, data });
  await ensureSecret(control, { namespace, name: secretName, data: { token: base64(impersonatorToken) } });
  const cluster = await ensure(
    control,
    resources.clusters,
    { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name }, spec },
    draft => Object.assign((draft as Cluster).spec, spec),
  );
  const owner = controllerReference(cluster);
  for (const secret of [name, secretName])
    await ensure(
      control,
      secrets,
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: secret } },
      draft => {
        draft.metadata.ownerReferences = [owner];
      },
    );
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Everything in every namespace, and every path of the member: what Karmada will propagate is not known in advance. */
async function grantEverything(member: Client, account: string, namespace: string): Promise<void> {
  const name = memberRoleName(account);
  const metadata = { name, labels: marks };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['get'], nonResourceURLs: ['*'] },
  ];
  await ensure(member, rbac('clusterroles'), { apiVersion, kind: 'ClusterRole', metadata, rules });
  await ensure(member, rbac('clusterrolebindings'), {
    ...{ apiVersion, kind: 'ClusterRoleBinding', metadata },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  });
}

/** Tokens of the TokenRequest API, which end after so many seconds: for members that join again at every start. */
export const requestedTokens =
  (seconds: number): TokenSource =>
  async (member, name, namespace) => {
    const answer = await member.create(
      serviceAccounts,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { name, namespace },
        spec: { expirationSeconds: seconds },
      },
      { name, subresource: 'token' },
    );
    const { token } = answer['status'] as { token?: string };
    if (!token) throw new Error(`no token was issued for the service account ${namespace}/${name}`);
    return token;
  };

const tokenPatienceMs = 30_000;

/** Tokens that do not end: those of Secrets that the member's own token controller fills in. */
export const secretTokens: TokenSource = async (member, account, namespace) => {
  await ensure(member, secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: account,
      namespace,
      labels: marks,
      annotations: { 'kubernetes.io/service-account.name': account },
    },
    type: 'kubernetes.io/service-account-token',
  });
  return filledIn(member, account, namespace);
};

const tokenIn = (secret: KubeObject | undefined): string => {
  const { token = '' } = (secret?.['data'] ?? {}) as { token?: string };
  return Buffer.from(token, 'base64').toString('utf8');
};

/** What the member refuses is told at once; a connection that breaks is tried again while patience lasts. */
async function filledIn(member: Client, account: string, namespace: string): Promise<string> {
  const found = new AbortController();
  const patience = AbortSignal.timeout(tokenPatienceMs);
  try {
    return await new Promise<string>((resolve, reject) => {
      const { done } = follow(secrets, {
        client: member,
        selection: { namespace, fieldSelector: `metadata.name=${account}` },
        signal: AbortSignal.any([found.signal, patience]),
        onChange(_key, _was, is) {
          const token = tokenIn(is?.object);
          if (token !== '') resolve(token);
        },
        onError(error) {
          if (error instanceof StatusError) reject(error);
        },
      });
      const inVain = `the cluster did not fill in a token for the service account ${namespace}/${account}`;
      void done.then(() => reject(new Error(inVain)));
    });
  } finally {
    found.abort();
  }
}

const ensureNamespace = (client: Client, name: string): Promise<KubeObject> =>
  ensure(client, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: marks } });

const ensureSecret = (
  client: Client,
  { namespace, name, data }: { namespace: string; name: string; data: object },
): Promise<KubeObject> =>
  ensure(
    client,
    secrets,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name, labels: marks },
      type: 'Opaque',
      data,
    },
    draft => void (draft['data'] = data),
  );

/** The object as it stands then: made, changed, or found as it should be. */
async function ensure(
  client: Client,
  resource: GroupVersionResource,
  object: KubeObject,
  change: (draft: KubeObject) => void = () => undefined,
): Promise<KubeObject> {
  const { namespace, name = '' } = object.metadata;
  const key = namespace ? { namespace, name } : { name };
  for (let made = false; ; made = true) {
    const known = await found(client.get(resource, key), 'NotFound');
    if (known) {
      const draft = cloneJson(known);
      change(draft);
      return deepEqual(draft, known) ? known : client.update(resource, draft);
    }
    // Several clusters join at once, and some of what they need is the same.
    const created = await found(client.create(resource, object), made ? undefined : 'AlreadyExists');
    if (created) return created;
  }
}

/** What a call yields; undefined where it fails for the one reason that does not matter. */
async function found(call: Promise<KubeObject>, but: string | undefined): Promise<KubeObject | undefined> {
  try {
    return await call;
  } catch (error) {
    if (but !== undefined && hasReason(error, but)) return undefined;
    throw error;
  }
}
