/** Joins a cluster in push mode: creates accounts in the member, and their token Secrets and the Cluster in the control plane. */
import { toBase64 } from '../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import type { Client } from '../../client/interface.js';
import type { Endpoint } from '../interface.js';
import { impersonationSecretName, memberServiceAccountName } from '../../api/karmada/names.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { ensureAccount, grantEverything, type TokenSource } from './accounts.js';
import { ensure, ensureNamespace, systemLabels } from './ensure.js';
import { core } from './resources.js';

const namespaces = core('namespaces');
const secrets = core('secrets');

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

/** Creates or updates all objects, so that a cluster can join again with a new address. as `karmadactl join` */
export async function joinCluster(joining: Joining): Promise<void> {
  const { name, control, member, namespace = 'karmada-cluster', signal } = joining;
  const account = memberServiceAccountName(name);
  const impersonator = memberServiceAccountName('impersonator');
  await ensureNamespace(member, namespace);
  for (const accountName of [impersonator, account]) await ensureAccount(member, accountName, namespace);
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
  const data = { caBundle: toBase64(joining.authority), token: toBase64(token) };
  await ensureSecret(control, { namespace, name, data });
  await ensureSecret(control, { namespace, name: secretName, data: { token: toBase64(impersonatorToken) } });
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
