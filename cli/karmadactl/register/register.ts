import process from 'node:process';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { kubeconfigClusterName } from '../../../aggregation/remote/kubeconfig.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import { resources } from '../../../api/karmada/well-known.js';
import {
  certificateSigningRequests,
  deployments,
  secrets,
  serviceAccounts,
} from '../../../api/kubernetes/resources.js';
import { clientSigner } from '../../../api/kubernetes/well-known.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { requestCertificate } from '../../../client/certificates/request-certificate.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { createOrUpdate } from '../../../client/runtime/update.js';
import { bootstrapTokenPattern } from '../../../kinds/kubernetes/bootstrap/bootstrap-token.js';
import { parseDurationFlag } from '../../flags/durations.js';
import {
  describeFlags,
  type FlagTable,
  type FlagValues,
  invalidFlag,
  parseFlags,
  UsageError,
} from '../../flags/flags.js';
import {
  agentNamespaceFlag,
  checkAnswers,
  checkedClusterName,
  connectionFlags,
  defaultKubeconfig,
  openRegistering,
  userAgent,
} from '../connect.js';
import { holdsBefore } from '../wait-flag.js';
import { agentGroup, agentUser, createAgentRoles, deleteAgentRoles, ensureSystemNamespace } from './agent-roles.js';
import { discoverAuthority } from './discovery.js';
import { agentAccess, agentAccountName, agentDeployment, agentName, agentSecretName } from './member-objects.js';

const flags = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of the cluster (default $KUBECONFIG or ~/.kube/config)',
  },
  context: { type: 'string', value: 'NAME', help: 'Context of the cluster (default: the current one)' },
  namespace: agentNamespaceFlag,
  'cluster-name': {
    type: 'string',
    value: 'NAME',
    help: "Name of the Cluster object (default: that of the cluster in the kubeconfig's current context)",
  },
  'cluster-namespace': connectionFlags['cluster-namespace'],
  'cluster-provider': { type: 'string', value: 'NAME', help: 'Provider of the cluster' },
  'cluster-region': { type: 'string', value: 'NAME', help: 'Region of the cluster' },
  'cluster-zones': { type: 'list', value: 'LIST', help: 'Zones of the cluster' },
  'enable-cert-rotation': { type: 'boolean', help: 'The agent renews its certificate before it expires' },
  token: { type: 'string', value: 'TOKEN', help: 'Bootstrap token, from "karmadactl token create"' },
  'discovery-token-ca-cert-hash': {
    type: 'list',
    value: 'LIST',
    help: 'Hashes of which one must be that of the authority of the control plane: sha256:HEX',
  },
  'discovery-token-unsafe-skip-ca-verification': {
    type: 'boolean',
    help: 'Trust every authority that the token has signed',
  },
  'discovery-timeout': {
    type: 'string',
    value: 'DURATION',
    default: '5m0s',
    help: 'How long the control plane, the certificates and the agent are waited for, each',
  },
  'karmada-agent-image': {
    type: 'string',
    value: 'IMAGE',
    default: 'docker.io/karmada/karmada-agent:latest',
    help: 'Image of the agent',
  },
  'karmada-agent-replicas': { type: 'number', value: 'N', default: 1, help: 'Replicas of the agent' },
  'cert-expiration-seconds': {
    type: 'number',
    value: 'N',
    default: 31_536_000,
    help: 'Validity of the certificate of the agent in seconds, at least 600',
  },
  'proxy-server-address': {
    type: 'string',
    value: 'URL',
    help: 'Proxy through which the control plane reaches the cluster',
  },
  'dry-run': { type: 'boolean', help: 'Check that the cluster can be registered, and change nothing' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

const help =
  (): string => `Registers a cluster in pull mode: gives an agent in the cluster access to the control plane, and starts it.

Usage:
  karmadactl register HOST:PORT --token TOKEN --discovery-token-ca-cert-hash HASH [flags]

"karmadactl token create --print-register-command" prints this command. HOST:PORT is the control plane as the cluster reaches it.

Flags:
${describeFlags(flags)}
`;

/** The user of this name makes the roles of agents, and is bound to a role with all rights. */
const roleMakerName = 'rbac-generator';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** What the flags say, checked. */
interface Registration {
  readonly values: Values;
  readonly cluster: string;
  readonly server: string;
  readonly token: { readonly id: string; readonly secret: string };
  readonly timeoutMs: number;
}

/** Returns the URL of the control plane. Throws UsageError for an address that is none. */
function serverAt(address: string): string {
  const server = `https://${address.replace(/^https:\/\//, '')}`;
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.pathname === '/' && url.search === '' && url.hash === '') return server;
  throw new UsageError(`"${address}" is no address of a control plane: want HOST:PORT`);
}

function parseRegistration(values: Values, rest: readonly string[]): Registration {
  const [address, more] = rest;
  if (address === undefined) throw new UsageError('the address of the control plane is required: HOST:PORT');
  if (more !== undefined) throw new UsageError(`unknown argument: ${more}`);
  if (values.token === '') throw new UsageError('--token is required');
  const [, id, secret] = bootstrapTokenPattern.exec(values.token) ?? [];
  if (id === undefined || secret === undefined)
    throw new UsageError(`invalid value for --token: want ${bootstrapTokenPattern.source}`);
  const pins = values['discovery-token-ca-cert-hash'];
  if (pins.length === 0 && !values['discovery-token-unsafe-skip-ca-verification'])
    throw new UsageError('need to verify CACertHashes, or set --discovery-token-unsafe-skip-ca-verification=true');
  const odd = pins.find(pin => !/^sha256:[0-9a-f]{64}$/i.test(pin));
  if (odd !== undefined) throw invalidFlag('discovery-token-ca-cert-hash', odd, 'want sha256: and 64 hex digits');
  const timeoutMs = parseDurationFlag('discovery-timeout', values['discovery-timeout']);
  const cluster = checkedClusterName(
    values['cluster-name'] || kubeconfigClusterName(values.kubeconfig || defaultKubeconfig(), values.context),
  );
  // The agent would have the user that makes the roles of agents, which may do everything.
  if (cluster === roleMakerName)
    throw new UsageError(
      `invalid cluster name(${cluster}): must not be the name of the user that makes the roles of agents`,
    );
  return { values, cluster, server: serverAt(address), token: { id, secret }, timeoutMs };
}

/** Rejects with a line per object of an earlier registration. */
async function preflight(member: Client, namespace: string): Promise<void> {
  const objects = [
    ['Secret', secrets, agentSecretName],
    ['ServiceAccount', serviceAccounts, agentAccountName],
    ['Deployment', deployments, agentName],
  ] as const;
  const found: string[] = [];
  for (const [kind, resource, name] of objects)
    if (await find(member, resource, { namespace, name })) found.push(`${namespace}/${name} ${kind} already exists`);
  if (found.length === 0) return;
  throw new Error(
    `the cluster seems to be registered:\n${found.map(line => `  ${line}\n`).join('')}` +
      '"karmadactl unregister" removes it',
  );
}

/** A control plane that is trusted, and how its users log in. */
class ControlPlane {
  readonly #registration: Registration;
  readonly #authority: string;
  readonly #bootstrap: RemoteClient;
  readonly #opened: RemoteClient[] = [];

  constructor(registration: Registration, authority: string) {
    this.#registration = registration;
    this.#authority = authority;
    this.#bootstrap = this.#open({ token: registration.values.token });
  }

  #open(login: { readonly token: string } | { readonly clientCertificate: string; readonly clientKey: string }) {
    const client = remote({ server: this.#registration.server, ca: this.#authority, ...login }, { userAgent });
    this.#opened.push(client);
    return client;
  }

  /** Requests a certificate of an agent with the bootstrap token. */
  certificate(namePrefix: string, commonName: string): ReturnType<typeof requestCertificate> {
    const { values, timeoutMs } = this.#registration;
    return requestCertificate(this.#bootstrap, {
      ...{ namePrefix, commonName, organizations: [agentGroup], signerName: clientSigner },
      usages: ['digital signature', 'key encipherment', 'client auth'],
      expirationSeconds: values['cert-expiration-seconds'],
      timeoutMilliseconds: timeoutMs,
      signal: new AbortController().signal,
    });
  }

  /** Returns a client of the user that makes the roles of agents, whose certificate is not kept. */
  async roleMaker(): Promise<Client> {
    const { cluster } = this.#registration;
    const issued = await this.certificate(`agent-rbac-generator-${cluster}-`, agentUser(roleMakerName));
    const client = this.#open({ clientCertificate: issued.certificatePem, clientKey: issued.keyPem });
    await client.delete(certificateSigningRequests, { name: issued.requestName });
    return client;
  }

  /** Returns the kubeconfig of the agent, with a new certificate. */
  async agentKubeconfig(): Promise<string> {
    const { cluster, server } = this.#registration;
    const { certificatePem, keyPem } = await this.certificate(`${cluster}-`, agentUser(cluster));
    const user = { credential: { certificate: certificatePem, key: keyPem } };
    return kubeconfig([{ name: `${cluster}@karmada-apiserver`, server, authority: this.#authority, user }]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map(client => client.close()));
  }
}

interface Deployment extends KubeObject {
  spec?: { replicas?: number };
  status?: { observedGeneration?: number; updatedReplicas?: number; availableReplicas?: number };
}

/** Resolves when all Pods of the agent are available. */
async function rolledOut(member: Client, namespace: string, timeoutMs: number): Promise<void> {
  let available = '';
  const isAvailable = await holdsBefore(Date.now() + timeoutMs, async () => {
    const { metadata, spec, status } = (await member.get(deployments, { namespace, name: agentName })) as Deployment;
    const wanted = spec?.replicas ?? 1;
    const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
    available = `${availableReplicas} of ${wanted} replicas are available`;
    const isObserved = observedGeneration >= (metadata.generation ?? 0);
    return isObserved && updatedReplicas === wanted && availableReplicas >= wanted;
  });
  if (!isAvailable) throw new Error(`timed out waiting for the Deployment ${namespace}/${agentName}: ${available}`);
}

interface Member {
  readonly client: Client;
  readonly endpoint: { readonly server: string };
}

async function startAgent(control: ControlPlane, member: Member, registration: Registration): Promise<void> {
  const { values, cluster, timeoutMs } = registration;
  const { namespace } = values;
  say('[karmada-agent-start] Waiting to construct karmada-agent kubeconfig');
  const options = {
    ...{ cluster, namespace, clusterNamespace: values['cluster-namespace'] },
    kubeconfig: await control.agentKubeconfig(),
    apiEndpoint: member.endpoint.server,
    proxyAddress: values['proxy-server-address'],
    provider: values['cluster-provider'],
    region: values['cluster-region'],
    zones: values['cluster-zones'],
    image: values['karmada-agent-image'],
    replicas: values['karmada-agent-replicas'],
    rotatesCertificate: values['enable-cert-rotation'],
  };
  await ensureSystemNamespace(member.client, namespace);
  say('[karmada-agent-start] Waiting the necessary secret and RBAC');
  for (const { resource, object } of agentAccess(options))
    await createOrUpdate(member.client, resource, undefined, object, draft => {
      for (const field of ['data', 'rules', 'subjects']) if (field in object) draft[field] = object[field];
    });
  say('[karmada-agent-start] Waiting karmada-agent Deployment');
  const { resource, object } = agentDeployment(options);
  await member.client.create(resource, object);
  await rolledOut(member.client, namespace, timeoutMs);
}

async function registerAt(control: ControlPlane, member: Member, registration: Registration): Promise<void> {
  const { values, cluster } = registration;
  const roles = await control.roleMaker();
  say('[karmada-agent-start] Waiting to check cluster exists');
  if (await find(roles, resources.clusters, { name: cluster }))
    throw new Error(`failed to register as cluster with name ${cluster} already exists`);
  say('[karmada-agent-start] Assign the necessary RBAC permissions to the agent');
  try {
    await createAgentRoles(roles, cluster, values['cluster-namespace']);
    await startAgent(control, member, registration);
  } catch (error) {
    say('karmadactl register failed and started deleting the created resources');
    await deleteAgentRoles(roles, cluster, values['cluster-namespace']).catch((why: unknown) =>
      process.stderr.write(`the roles of the agent cannot be deleted: ${errorText(why)}\n`),
    );
    throw error;
  }
}

/** Runs `karmadactl register`. Rejects with UsageError for wrong flags, and with the error of the step that failed. */
export async function registerCommand(args: readonly string[]): Promise<void> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) return void process.stdout.write(help());
  const registration = parseRegistration(values, rest);
  const { cluster, server, token, timeoutMs } = registration;
  const member = openRegistering(values);
  try {
    await checkAnswers(member, 'the cluster');
    say('[preflight] Running pre-flight checks');
    await preflight(member.client, values.namespace);
    say('[preflight] All pre-flight checks were passed');
    if (values['dry-run']) return;
    say('[karmada-agent-start] Waiting to perform the TLS Bootstrap');
    const pins = values['discovery-token-ca-cert-hash'].map(pin => pin.toLowerCase());
    const authority = await discoverAuthority({
      ...{ server, token, pins, timeoutMs },
      onWait: why => say(`[karmada-agent-start] Trying for ${values['discovery-timeout']}: ${why}`),
    });
    const control = new ControlPlane(registration, authority);
    try {
      await registerAt(control, member, registration);
    } finally {
      await control.close();
    }
    say(`\ncluster(${cluster}) is joined successfully`);
  } finally {
    await member.client.close();
  }
}
