import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Endpoint, RemoteClient } from '../../aggregation/interface.js';
import { remote } from '../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { UsageError } from '../flags.js';

/** How both servers are found: the control plane as kubectl finds its server, the cluster by flags of its own. */
export const connectionFlags = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'Kubeconfig of the control plane ($KUBECONFIG, ~/.kube/config)' },
  'karmada-context': { type: 'string', value: 'NAME', help: 'Its context; the current one when absent' },
  'cluster-kubeconfig': { type: 'string', value: 'FILE', help: 'Kubeconfig of the cluster' },
  'cluster-context': { type: 'string', value: 'NAME', help: 'Its context; the current one when absent' },
  'cluster-namespace': {
    type: 'string',
    value: 'NAME',
    default: 'karmada-cluster',
    help: 'Namespace of accounts and secrets, on both sides',
  },
} as const;

export interface Connected {
  readonly client: RemoteClient;
  readonly endpoint: Endpoint;
}

const userAgent = 'karmadactl';

function open(file: string, context: string): Connected {
  const endpoint = kubeconfigEndpoint(file, context === '' ? undefined : context);
  return { endpoint, client: remote(endpoint, { userAgent }) };
}

const usualFile = (): string =>
  process.env['KUBECONFIG']?.split(path.delimiter).find(file => file !== '') ?? path.join(os.homedir(), '.kube/config');

export const openControlPlane = (values: {
  readonly kubeconfig: string;
  readonly 'karmada-context': string;
}): Connected => open(values.kubeconfig === '' ? usualFile() : values.kubeconfig, values['karmada-context']);

export const openCluster = (values: {
  readonly 'cluster-kubeconfig': string;
  readonly 'cluster-context': string;
}): Connected =>
  open(values['cluster-kubeconfig'] === '' ? usualFile() : values['cluster-kubeconfig'], values['cluster-context']);

/** The one argument that is no flag. */
export function clusterName(rest: readonly string[]): string {
  const [name, more] = rest;
  if (name === undefined) throw new UsageError('cluster name is required');
  if (more !== undefined) throw new UsageError(`unknown argument: ${more}`);
  return name;
}
