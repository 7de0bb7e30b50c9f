import { plainError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { Node } from '../../api/kubernetes/core.js';
import { nodes } from '../../api/kubernetes/resources.js';
import type { Backends } from '../interface.js';

const defaultPort = 10250;
// as cmd/kube-apiserver/app/options PreferredAddressTypes
export const preferredAddressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** Milliseconds until a kubelet begins its answer. differs: kube-apiserver has no such limit, so that a kubelet that hangs holds its clients */
const defaultTimeoutMs = 30_000;

/** What the API server needs to reach kubelets and Pods. */
export interface KubeletAccess {
  readonly client: Client;
  readonly backends: Backends;
  /** The order in which a Node's addresses are tried. */
  readonly addressTypes?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Returns the milliseconds until a kubelet has to begin its answer. */
export const timeoutOf = ({ timeoutMs = defaultTimeoutMs }: KubeletAccess): number => timeoutMs;

interface Kubelet {
  readonly host: string;
  readonly port: number;
  /** `https://HOST:PORT`. */
  readonly address: string;
}

/** Returns `HOST:PORT`, with brackets around an IPv6 address. */
export const hostPort = (host: string, port: number | string): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Returns the address of the kubelet from the status of its Node. Rejects with NotFound, or with 500 if the Node has no address. as
 * pkg/kubelet/client GetConnectionInfo
 */
export async function kubeletOf({ client, addressTypes }: KubeletAccess, name: string): Promise<Kubelet> {
  const { status } = (await client.get(nodes, { name })) as Node;
  const addresses = status?.addresses ?? [];
  const host = (addressTypes ?? preferredAddressTypes)
    .map(type => addresses.find(each => each.type === type)?.address)
    .find(address => address !== undefined);
  if (host === undefined) {
    const known = addresses.map(({ type = '', address = '' }) => `{${type} ${address}}`).join(' ');
    throw plainError(`no preferred addresses found; known addresses: [${known}]`);
  }
  const reported = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  const port = reported > 0 ? reported : defaultPort;
  return { host, port, address: `https://${hostPort(host, port)}` };
}
