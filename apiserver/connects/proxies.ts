/** Serves the proxies to Pods, Services and Nodes as far as that is possible without a network path to them. */
import { goQuote } from '../../lib/go/go-text.js';
import { badRequest, serviceUnavailable } from '../../apimachinery/errors/status.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import type { EndpointAddress, Endpoints, Pod, Service } from '../../api/kubernetes/core.js';
import { isGlobalUnicast } from '../../apimachinery/net/address-kinds.js';
import { parseIp, unmapped } from '../../apimachinery/net/ip.js';
import type { ConnectHandler } from '../interface.js';
import { kubeletOf } from './kubelet.js';

interface Target {
  readonly name: string;
  readonly port: string;
}

/** Parses `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. Throws 400. as apimachinery/pkg/util/net/port_split.go SplitSchemeNamePort */
function parseTarget(id: string, kind: string): Target {
  const parts = id.split(':');
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme ?? ''))
    throw badRequest(`invalid ${kind} request ${goQuote(id)}`);
  return { name, port };
}

const core = (resource: string) => ({ group: '', version: 'v1', resource });

/** differs: kube-apiserver tries to connect, and answers with the error. */
const unreachable = () => serviceUnavailable('error trying to reach service: this server has no way to it');

/** Reports whether an endpoint address belongs to a Pod of the namespace: the proxy connects to no others. as pkg/registry/core/service/storage/storage.go isValidAddress */
async function isOfPod(client: Client, namespace: string, { ip, targetRef }: EndpointAddress): Promise<boolean> {
  if (!targetRef || targetRef.namespace !== namespace) return false;
  const pod = (await find(client, core('pods'), { namespace, name: targetRef.name ?? '' })) as Pod | undefined;
  return pod?.status?.podIPs?.some(each => each.ip === ip) ?? false;
}

/** as pkg/registry/core/service/storage/storage.go ResourceLocation */
async function checkService(client: Client, namespace: string, id: string): Promise<void> {
  const { name, port } = parseTarget(id, 'service');
  let portName = port;
  if (/^[+-]?\d+$/.test(port)) {
    const { spec } = (await client.get(core('services'), { namespace, name })) as Service;
    const declared = spec?.ports?.find(each => each.port === Number(port));
    if (!declared) throw serviceUnavailable(`no service port ${Number(port)} found for service ${goQuote(name)}`);
    portName = declared.name ?? '';
  }
  const { subsets = [] } = (await client.get(core('endpoints'), { namespace, name })) as Endpoints;
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${goQuote(name)}`);
  for (const { addresses = [], ports = [] } of subsets) {
    if (!ports.some(each => (each.name ?? '') === portName)) continue;
    for (const address of addresses) if (await isOfPod(client, namespace, address)) return;
  }
  throw serviceUnavailable(`no endpoints available for service ${goQuote(id)}`);
}

export function proxyConnects(client: Client): Readonly<Record<string, ConnectHandler>> {
  return {
    'pods/proxy': async ({ namespace, name: id }) => {
      const { name } = parseTarget(id, 'pod');
      const { status } = (await client.get(core('pods'), { namespace, name })) as Pod;
      const address = parseIp(status?.podIP ?? '');
      if (!address || !isGlobalUnicast(unmapped(address))) throw badRequest('address not allowed');
      throw unreachable();
    },
    'services/proxy': async ({ namespace, name }) => {
      await checkService(client, namespace, name);
      throw unreachable();
    },
    'nodes/proxy': async ({ name: id }) => {
      const { host } = await kubeletOf(client, parseTarget(id, 'node').name);
      // differs: kube-apiserver resolves names with DNS
      const address = parseIp(host);
      if (address && !isGlobalUnicast(unmapped(address))) throw badRequest('address not allowed');
      throw unreachable();
    },
  };
}
