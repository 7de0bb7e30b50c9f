import { plainError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { Node } from '../../api/kubernetes/core.js';
import { nodes } from '../../api/kubernetes/resources.js';

const defaultPort = 10250;
// as cmd/kube-apiserver/app/options PreferredAddressTypes
const preferred = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

interface Kubelet {
  readonly host: string;
  readonly port: number;
  /** `https://HOST:PORT`. */
  readonly address: string;
}

/** Returns the address of the kubelet from the status of its Node. Rejects with NotFound, or with 500 if the Node has no address. as pkg/kubelet/client GetConnectionInfo */
export async function kubeletOf(client: Client, name: string): Promise<Kubelet> {
  const { status } = (await client.get(nodes, { name })) as Node;
  const addresses = status?.addresses ?? [];
  const host = preferred
    .map(type => addresses.find(each => each.type === type)?.address)
    .find(address => address !== undefined);
  if (host === undefined) {
    const known = addresses.map(({ type = '', address = '' }) => `{${type} ${address}}`).join(' ');
    throw plainError(`no preferred addresses found; known addresses: [${known}]`);
  }
  const reported = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  const port = reported > 0 ? reported : defaultPort;
  return { host, port, address: `https://${host.includes(':') ? `[${host}]` : host}:${port}` };
}
