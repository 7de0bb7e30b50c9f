/** Proxies to Pods, Services and Nodes, as far as a server comes that has no way to them (HTTP-014). */
import ipaddr from 'ipaddr.js';
import { goQuote } from '../../openapi/meta/go-text.js';
import { badRequest, serviceUnavailable } from '../../openapi/meta/status.js';
import type { Client } from '../../registry/interface.js';
import type { Endpoints, Pod, Service } from '../../registry/kinds/types/core.js';
import type { Connect } from '../interface.js';

interface Place {
  readonly name: string;
  readonly port: string;
}

/** `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. as apimachinery/pkg/util/net/port_split.go SplitSchemeNamePort */
function placeOf(id: string, kind: string): Place {
  const parts = id.split(':');
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme ?? ''))
    throw badRequest(`invalid ${kind} request ${goQuote(id)}`);
  return { name, port };
}

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const notGlobal = new Set(['unspecified', 'loopback', 'multicast', 'linkLocal', 'broadcast']);

const isGlobal = (address: string): boolean =>
  ipaddr.isValid(address) && !notGlobal.has(ipaddr.process(address).range());

/** differs: kube-apiserver tries, and says why it could not. */
const unreachable = () => serviceUnavailable('error trying to reach service: this server has no way to it');

/** as pkg/registry/core/service/storage/storage.go ResourceLocation */
async function checkService(client: Client, namespace: string, id: string): Promise<void> {
  const { name, port } = placeOf(id, 'service');
  if (/^[+-]?\d+$/.test(port)) {
    const { spec } = (await client.get(core('services'), { namespace, name })) as Service;
    if (!spec?.ports?.some(each => each.port === Number(port)))
      throw serviceUnavailable(`no service port ${Number(port)} found for service ${goQuote(name)}`);
  }
  const { subsets = [] } = (await client.get(core('endpoints'), { namespace, name })) as Endpoints;
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service ${goQuote(name)}`);
  if (!subsets.some(({ addresses = [] }) => addresses.length > 0))
    throw serviceUnavailable(`no endpoints available for service ${goQuote(id)}`);
}

export function proxyConnects(client: Client): Readonly<Record<string, Connect>> {
  return {
    'pods/proxy': async ({ namespace, name: id }) => {
      const { name } = placeOf(id, 'pod');
      const { status } = (await client.get(core('pods'), { namespace, name })) as Pod;
      if (!isGlobal(status?.podIP ?? '')) throw badRequest('address not allowed');
      throw unreachable();
    },
    'services/proxy': async ({ namespace, name }) => {
      await checkService(client, namespace, name);
      throw unreachable();
    },
    'nodes/proxy': async ({ name: id }) => {
      await client.get(core('nodes'), { name: placeOf(id, 'node').name });
      throw unreachable();
    },
  };
}
