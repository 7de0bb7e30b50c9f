import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Endpoint, RemoteClient } from '../../aggregation/interface.js';
import { remote } from '../../aggregation/remote/client.js';
import { kubeconfigContexts, kubeconfigEndpoint, MissingContext } from '../../aggregation/remote/kubeconfig.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { checkClusterName } from '../../kinds/karmada/clusters/cluster-rules.js';
import { clusterNamespaceFlag } from '../flags/karmada/cluster.js';
import { UsageError } from '../flags/flags.js';
import { kubeconfigFault } from '../kubeconfig-fault.js';

/** The control plane is found as kubectl finds its server. */
export const controlPlaneFlags = {
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of the control plane (default $KUBECONFIG or ~/.kube/config)',
  },
  'karmada-context': { type: 'string', value: 'NAME', help: 'Context of the control plane (default: the current one)' },
} as const;

/** Connects to both servers: the cluster is found by its own flags. */
export const connectionFlags = {
  ...controlPlaneFlags,
  'cluster-kubeconfig': { type: 'string', value: 'FILE', help: 'Kubeconfig of the cluster' },
  'cluster-context': { type: 'string', value: 'NAME', help: 'Context of the cluster (default: the current one)' },
  'cluster-namespace': clusterNamespaceFlag,
} as const;

/** The flag of the commands that start an agent in a cluster, and remove it. */
export const agentNamespaceFlag = {
  type: 'string',
  short: 'n',
  value: 'NAME',
  default: 'karmada-system',
  help: 'Namespace of the agent in the cluster',
} as const;

interface Connected {
  readonly client: RemoteClient;
  readonly endpoint: Endpoint;
}

export const userAgent = 'karmadactl';

/** The kubeconfig and context, and the flags with which the user names them. */
interface Source {
  readonly file: string;
  readonly context: string;
  readonly fileFlag: string;
  readonly contextFlag: string;
}

/** Returns the error of a kubeconfig as one line with a hint for the user; other errors are returned unchanged. */
function explain(error: unknown, { file, context, fileFlag, contextFlag }: Source): unknown {
  const fault = kubeconfigFault(error, file);
  if (fault !== undefined) return new UsageError(`${fault}; ${fileFlag} names another kubeconfig`);
  if (!(error instanceof MissingContext)) return error;
  const known = kubeconfigContexts(file).join(', ');
  if (context !== '') return new UsageError(`${error.message}${known === '' ? '' : `, which has ${known}`}`);
  return new UsageError(
    `the kubeconfig ${file} has no current context; ${contextFlag} names one${known === '' ? '' : `: ${known}`}`,
  );
}

function open(source: Source): Connected {
  const { file, context } = source;
  try {
    const endpoint = kubeconfigEndpoint(file, context === '' ? undefined : context);
    return { endpoint, client: remote(endpoint, { userAgent }) };
  } catch (error) {
    throw explain(error, source);
  }
}

/** Rejects with a UsageError that names the server when it does not answer. `what`: the control plane, or the cluster. */
export async function checkAnswers({ client, endpoint }: Connected, what: string): Promise<void> {
  try {
    await client.raw({ method: 'GET', path: '/version' });
  } catch (error) {
    throw new UsageError(`${what} at ${endpoint.server} does not answer: ${errorText(error)}`);
  }
}

/** Returns the kubeconfig that kubectl uses without flags. */
export const defaultKubeconfig = (): string =>
  process.env['KUBECONFIG']?.split(path.delimiter).find(file => file !== '') ?? path.join(os.homedir(), '.kube/config');

/** Connects to the control plane that the flags name. Throws UsageError for a kubeconfig that cannot be read, or without the context. */
export const openControlPlane = (values: {
  readonly kubeconfig: string;
  readonly 'karmada-context': string;
}): Connected =>
  open({
    file: values.kubeconfig === '' ? defaultKubeconfig() : values.kubeconfig,
    context: values['karmada-context'],
    fileFlag: '--kubeconfig or the variable KUBECONFIG',
    contextFlag: '--karmada-context',
  });

/** Connects to the member that the flags name. Throws UsageError as `openControlPlane`. */
export const openCluster = (values: {
  readonly 'cluster-kubeconfig': string;
  readonly 'cluster-context': string;
}): Connected =>
  open({
    file: values['cluster-kubeconfig'] === '' ? defaultKubeconfig() : values['cluster-kubeconfig'],
    context: values['cluster-context'],
    fileFlag: '--cluster-kubeconfig',
    contextFlag: '--cluster-context',
  });

/** Connects to the cluster that registers, whose flags have the names of kubectl's. */
export const openRegistering = (values: { readonly kubeconfig: string; readonly context: string }): Connected =>
  open({
    file: values.kubeconfig === '' ? defaultKubeconfig() : values.kubeconfig,
    context: values.context,
    fileFlag: '--kubeconfig or the variable KUBECONFIG',
    contextFlag: '--context',
  });

/** Returns the name of a Cluster that is given by the user. Throws UsageError if no Cluster can have it. */
export function checkedClusterName(name: string): string {
  const faults = checkClusterName(name);
  if (faults.length > 0) throw new UsageError(`invalid cluster name(${name}): ${faults.join(';')}`);
  return name;
}

/** Returns the one argument that is no flag. Throws UsageError. */
export function clusterArgument(rest: readonly string[]): string {
  const [name, more] = rest;
  if (name === undefined) throw new UsageError('cluster name is required');
  if (more !== undefined) throw new UsageError(`unknown argument: ${more}`);
  return name;
}
