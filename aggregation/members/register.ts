/** Registers a cluster in pull mode, with the rights that its agent has in the control plane. */
import { toBase64 } from '../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { impersonationSecretName, memberServiceAccountName } from '../../api/karmada/names.js';
import type { Cluster, SecretReference } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { ensureAccount, grantEverything, type TokenSource } from './accounts.js';
import { ensureNamespace, systemLabels } from './ensure.js';
import { core } from './resources.js';

/** The secrets that an agent may report: the token of an account with all rights, and that of the impersonator. */
export type ReportedSecret = 'KubeCredentials' | 'KubeImpersonator';

interface AgentRegistration {
  readonly name: string;
  readonly control: Client;
  readonly member: Client;
  /** The namespace of accounts and secrets on both sides. */
  readonly namespace: string;
  readonly reported: ReadonlySet<ReportedSecret>;
  /** CA certificates of the member in PEM, which are reported with the credentials. */
  readonly authority: string;
  readonly tokens: TokenSource;
  /** Where the control plane finds the member, and what is known about it. Absent fields of the Cluster stay as they are. */
  readonly facts: Pick<Cluster['spec'], 'provider' | 'region' | 'zones'>;
  /** Fields that are removed from the Cluster if they are absent. */
  readonly reach: Pick<Cluster['spec'], 'apiEndpoint' | 'proxyURL' | 'insecureSkipTLSVerification'>;
  readonly signal: AbortSignal;
}

const secrets = core('secrets');

/**
 * Creates the accounts in the member, and their secrets and the Cluster in the control plane, or brings them up to date. Resolves with `kept` if the
 * Cluster has other settings and the agent may not change them. Rejects if another cluster has the name or the id. as cmd/agent/app run
 */
export async function registerCluster(registration: AgentRegistration): Promise<'registered' | 'kept'> {
  const { control, member, name, namespace, reported } = registration;
  const { uid: id = '' } = (await member.get(core('namespaces'), { name: 'kube-system' })).metadata;
  await refuseOther(control, name, id);
  if (reported.size > 0) await ensureNamespace(member, namespace);
  await ensureNamespace(control, namespace);
  const refs: { secretRef?: SecretReference; impersonatorSecretRef?: SecretReference } = {};
  if (reported.has('KubeImpersonator')) {
    const token = await tokenOf(memberServiceAccountName('impersonator'), registration);
    refs.impersonatorSecretRef = { namespace, name: impersonationSecretName(name) };
    await reportSecret(control, refs.impersonatorSecretRef, { token: toBase64(token) });
  }
  if (reported.has('KubeCredentials')) {
    const account = memberServiceAccountName(name);
    const token = await tokenOf(account, registration);
    await grantEverything(member, account, namespace);
    refs.secretRef = { namespace, name };
    const data = { caBundle: toBase64(registration.authority), token: toBase64(token) };
    await reportSecret(control, refs.secretRef, data);
  }
  const { cluster, outcome } = await writeCluster(registration, { syncMode: 'Pull', id, ...refs });
  for (const ref of Object.values(refs)) await own(control, ref, cluster);
  return outcome;
}

/** Rejects unless the name and the id are those of one Cluster, or of none. as pkg/util ClusterRegisterOption.Validate */
async function refuseOther(control: Client, name: string, id: string): Promise<void> {
  const { items } = await control.list(resources.clusters);
  const isSame = ({ metadata, spec }: Cluster): boolean => metadata.name === name && spec.id === id;
  const used = (items as Cluster[]).filter(({ metadata, spec }) => metadata.name === name || spec.id === id);
  if (used.length === 0 || used.some(isSame)) return;
  const others = used.map(({ metadata }) => metadata.name).join(', ');
  throw new ExpectedError(
    `the cluster ID ${id} or the cluster name ${name} has been registered, by the Cluster ${others}`,
  );
}

async function tokenOf(account: string, { member, namespace, tokens, signal }: AgentRegistration): Promise<string> {
  await ensureAccount(member, account, namespace);
  return tokens(member, account, namespace, signal);
}

/** Creates the secret, or replaces its data. differs: Karmada keeps the data of an existing one, which may be out of date. */
async function reportSecret(control: Client, ref: SecretReference, data: Record<string, string>): Promise<void> {
  const known = await find(control, secrets, ref);
  if (!known) {
    const metadata = { ...ref, labels: systemLabels };
    await control.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data });
  } else if (!deepEqual(known['data'], data)) {
    await control.patch(secrets, ref, { type: 'merge', patch: { data } });
  }
}

/** Makes the Cluster the owner of its secret. */
async function own(control: Client, ref: SecretReference, cluster: KubeObject): Promise<void> {
  const secret = await control.get(secrets, ref);
  const owners = [controllerReference(cluster)];
  if (deepEqual(secret.metadata.ownerReferences, owners)) return;
  await control.patch(secrets, ref, { type: 'merge', patch: { metadata: { ownerReferences: owners } } });
}

interface WrittenCluster {
  readonly cluster: KubeObject;
  readonly outcome: 'registered' | 'kept';
}

async function writeCluster(
  { control, name, facts, reach }: AgentRegistration,
  settings: Cluster['spec'],
): Promise<WrittenCluster> {
  const { apiEndpoint, proxyURL, insecureSkipTLSVerification } = reach;
  const spec = { ...settings, ...facts, ...reach };
  const known = (await find(control, resources.clusters, { name })) as Cluster | undefined;
  if (!known) {
    const draft = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name }, spec };
    return { cluster: await control.create(resources.clusters, draft), outcome: 'registered' };
  }
  const draft = cloneJson(known);
  Object.assign(draft.spec, spec);
  if (apiEndpoint === undefined) delete draft.spec.apiEndpoint;
  if (proxyURL === undefined) delete draft.spec.proxyURL;
  if (!insecureSkipTLSVerification) delete draft.spec.insecureSkipTLSVerification;
  if (deepEqual(draft.spec, known.spec)) return { cluster: known, outcome: 'registered' };
  try {
    return { cluster: await control.update(resources.clusters, draft), outcome: 'registered' };
  } catch (error) {
    // differs: Karmada's agent ends, since its role does not let it update its Cluster: a new region would take the cluster out of service.
    if (error instanceof StatusError && error.code === 403 && known.spec.syncMode === 'Pull')
      return { cluster: known, outcome: 'kept' };
    throw error;
  }
}
