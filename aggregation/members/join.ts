/** Joins a cluster in push mode: creates accounts in the member, and their token Secrets and the Cluster in the control plane. */
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { StatusError, isAlreadyExists } from '../../apimachinery/errors/status.js';
import { find } from '../../client/find.js';
import { follow } from '../../client/watch/follow.js';
import type { Client } from '../../client/interface.js';
import type { Endpoint } from '../interface.js';
import { objectKey } from '../../client/key.js';
import { impersonationSecretName, memberRoleName, memberServiceAccountName } from '../../api/karmada/names.js';
import type { Cluster } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { core, rbac } from './resources.js';
import { serviceAccountNameAnnotation, serviceAccountTokenSecret } from '../../api/kubernetes/well-known.js';

const namespaces = core('namespaces');
const serviceAccounts = core('serviceaccounts');
const secrets = core('secrets');

const systemLabels = { [labels.system]: 'true' };

interface Joining {
  readonly name: string;
  readonly control: Client;
  readonly member: Client;
  /** Address of the member for the control plane: `https://HOST:PORT`. */
  readonly endpoint: string;
  /** CA certificates of the member in PEM. */
  readonly authority: string;
  /** Value of `--cluster-namespace`: the namespace of accounts and secrets on both sides. */
  readonly namespace?: string;
  /** Source of the tokens that the control plane uses. */
  readonly tokens: TokenSource;
  /** How the control plane reaches the member, besides its address and CA. */
  readonly reach?: Pick<Endpoint, 'insecureSkipVerify' | 'proxyUrl'>;
  /** Properties of the cluster: provider, region, zones. */
  readonly facts?: Pick<Cluster['spec'], 'provider' | 'region' | 'zones'>;
  /** Ends the wait for tokens. */
  readonly signal?: AbortSignal;
}

/** Returns the name of another Cluster that is the same member; undefined if there is none. as pkg/util IsClusterIdentifyUnique */
export async function otherNameOf(member: Client, control: Client, name: string): Promise<string | undefined> {
  const { uid } = (await member.get(namespaces, { name: 'kube-system' })).metadata;
  if (uid === undefined) return undefined;
  const { items } = await control.list(resources.clusters);
  return (items as Cluster[]).find(({ metadata, spec }) => spec.id === uid && metadata.name !== name)?.metadata.name;
}

/** Returns a token of a ServiceAccount of the member. Rejects with the reason of the signal when that aborts. */
type TokenSource = (member: Client, account: string, namespace: string, signal?: AbortSignal) => Promise<string>;

/**
 * Creates or updates all objects, so that a cluster can join again with a new address. as `karmadactl join`
 */
export async function joinCluster(joining: Joining): Promise<void> {
  const { name, control, member, namespace = 'karmada-cluster', signal } = joining;
  const account = memberServiceAccountName(name);
  const impersonator = memberServiceAccountName('impersonator');
  await ensureNamespace(member, namespace);
  for (const accountName of [impersonator, account])
    await ensure(member, serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: accountName, namespace, labels: systemLabels },
    });
  await grantEverything(member, account, namespace);
  const [token, impersonatorToken, id] = await Promise.all([
    joining.tokens(member, account, namespace, signal),
    joining.tokens(member, impersonator, namespace, signal),
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
    ...(joining.reach?.insecureSkipVerify && { insecureSkipTLSVerification: true }),
    ...(joining.reach?.proxyUrl && { proxyURL: joining.reach.proxyUrl }),
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

/** Grants all verbs on all resources of the member, since it is not known in advance what Karmada will propagate. */
async function grantEverything(member: Client, account: string, namespace: string): Promise<void> {
  const name = memberRoleName(account);
  const metadata = { name, labels: systemLabels };
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

/** Returns tokens of the TokenRequest API that expire after `seconds`, for members that join again at every start. */
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

const tokenTimeoutMs = 30_000;

/** Returns tokens without expiry: those that the member's token controller writes into Secrets. */
export const secretTokens: TokenSource = async (member, account, namespace, signal) => {
  await ensure(member, secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: account,
      namespace,
      labels: systemLabels,
      annotations: { [serviceAccountNameAnnotation]: account },
    },
    type: serviceAccountTokenSecret,
  });
  return waitForToken(member, { account, namespace, signal });
};

const tokenIn = (secret: KubeObject | undefined): string => {
  const { token = '' } = (secret?.['data'] ?? {}) as { token?: string };
  return Buffer.from(token, 'base64').toString('utf8');
};

interface AwaitedToken {
  readonly account: string;
  readonly namespace: string;
  readonly signal: AbortSignal | undefined;
}

/** Waits for the token in the Secret. Rejects at once with an error status of the member; retries a broken connection until the timeout. */
async function waitForToken(member: Client, { account, namespace, signal }: AwaitedToken): Promise<string> {
  const found = new AbortController();
  const ends = [found.signal, AbortSignal.timeout(tokenTimeoutMs), ...(signal ? [signal] : [])];
  try {
    return await new Promise<string>((resolve, reject) => {
      const { done } = follow(secrets, {
        client: member,
        selection: { namespace, fieldSelector: `metadata.name=${account}` },
        signal: AbortSignal.any(ends),
        onChange(_key, _old, current) {
          const token = tokenIn(current?.object);
          if (token !== '') resolve(token);
        },
        onError(error) {
          if (error instanceof StatusError) reject(error);
        },
      });
      const message = `the cluster did not fill in a token for the service account ${namespace}/${account}`;
      void done.then(() => reject(signal?.aborted ? (signal.reason as Error) : new Error(message)));
    });
  } finally {
    found.abort();
  }
}

const ensureNamespace = (client: Client, name: string): Promise<KubeObject> =>
  ensure(client, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: systemLabels } });

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
      metadata: { namespace, name, labels: systemLabels },
      type: 'Opaque',
      data,
    },
    draft => void (draft['data'] = data),
  );

/** Creates the object, or updates the existing one with `change`. Returns the result. */
async function ensure(
  client: Client,
  resource: GroupVersionResource,
  object: KubeObject,
  change: (draft: KubeObject) => void = () => undefined,
): Promise<KubeObject> {
  const key = objectKey(object);
  for (let attempted = false; ; attempted = true) {
    const known = await find(client, resource, key);
    if (known) {
      const draft = cloneJson(known);
      change(draft);
      return deepEqual(draft, known) ? known : client.update(resource, draft);
    }
    // Clusters that join concurrently create the same objects.
    try {
      return await client.create(resource, object);
    } catch (error) {
      if (attempted || !isAlreadyExists(error)) throw error;
    }
  }
}
