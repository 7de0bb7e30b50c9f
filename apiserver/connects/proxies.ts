/** Serves the proxies to Pods, Services and Nodes. */
import { lookup } from 'node:dns/promises';
import { goQuote } from '../../lib/go/go-text.js';
import { badRequest, plainError, serviceUnavailable } from '../../apimachinery/errors/status.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import type { EndpointAddress, Endpoints, Pod, Service } from '../../api/kubernetes/core.js';
import { isGlobalUnicast } from '../../apimachinery/net/address-kinds.js';
import { parseIp, unmapped } from '../../apimachinery/net/ip.js';
import type { BackendRequest, ConnectHandler, ConnectRequest } from '../interface.js';
import { hostPort, type KubeletAccess, kubeletOf } from './kubelet.js';

interface Target {
  /** '' or `http`: without TLS. */
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** Parses `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. Throws 400. as apimachinery/pkg/util/net/port_split.go SplitSchemeNamePort */
function parseTarget(id: string, kind: string): Target {
  const parts = id.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme))
    throw badRequest(`invalid ${kind} request ${goQuote(id)}`);
  return { scheme, name, port };
}

const core = (resource: string) => ({ group: '', version: 'v1', resource });

/**
 * Reports whether an endpoint address belongs to a Pod of the namespace: the proxy connects to no others. as
 * pkg/registry/core/service/storage/storage.go isValidAddress
 */
async function isOfPod(client: Client, namespace: string, { ip, targetRef }: EndpointAddress): Promise<boolean> {
  if (!targetRef || targetRef.namespace !== namespace) return false;
  const pod = (await find(client, core('pods'), { namespace, name: targetRef.name ?? '' })) as Pod | undefined;
  return pod?.status?.podIPs?.some(each => each.ip === ip) ?? false;
}

/** Throws 503 for a port that is no number: it would become a part of the host. */
function originOf(scheme: string, host: string, port: number | string): string {
  if (!/^\d{1,5}$/.test(String(port)) || Number(port) > 65_535)
    throw serviceUnavailable(`error trying to reach service: dial tcp: lookup tcp/${port}: unknown port`);
  return `${scheme === '' ? 'http' : scheme}://${hostPort(host, port)}`;
}

/** Throws 400 for a host with an address that is not to be reached through a proxy. as pkg/proxy/util IsProxyableHostname */
async function checkHost(host: string): Promise<void> {
  const literal = parseIp(host);
  // A name that does not exist is reported by the connection.
  const found = literal ? [] : await lookup(host, { all: true }).catch(() => []);
  const addresses = literal ? [literal] : found.map(({ address }) => parseIp(address));
  if (addresses.some(address => !address || !isGlobalUnicast(unmapped(address))))
    throw badRequest('address not allowed');
}

/** Returns the origin of an endpoint of a Service. as pkg/registry/core/service/storage/storage.go ResourceLocation */
async function endpointOf(client: Client, namespace: string, id: string): Promise<string> {
  const { scheme, name, port } = parseTarget(id, 'service');
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
    const found = ports.find(each => (each.name ?? '') === portName);
    if (!found) continue;
    for (const address of addresses)
      if (await isOfPod(client, namespace, address)) return originOf(scheme, address.ip ?? '', found.port ?? 0);
  }
  throw serviceUnavailable(`no endpoints available for service ${goQuote(id)}`);
}

/** Headers by which a server would allow pages of other origins to read the answer. as apimachinery/pkg/util/proxy removeCORSHeaders */
const corsHeaders = ['credentials', 'headers', 'methods', 'origin'].map(name => `access-control-allow-${name}`);

/** Returns a Location that leads through the proxy, if it is on the proxied server. as apimachinery/pkg/util/proxy rewriteURL */
function proxiedLocation(location: string, origin: string, prefix: string): string {
  const rest = location.startsWith(`${origin}/`) ? location.slice(origin.length) : location;
  const isAbsolutePath = rest.startsWith('/') && !rest.startsWith('//');
  return isAbsolutePath && !rest.startsWith(prefix) ? prefix + rest : location;
}

class Proxies {
  readonly #access: KubeletAccess;
  readonly #client: Client;

  constructor(access: KubeletAccess) {
    this.#access = access;
    this.#client = access.client;
  }

  readonly pod: ConnectHandler = async request => {
    const { namespace, name: id } = request;
    const { scheme, name, port } = parseTarget(id, 'pod');
    const { spec, status } = (await this.#client.get(core('pods'), { namespace, name })) as Pod;
    const address = parseIp(status?.podIP ?? '');
    if (!address || !isGlobalUnicast(unmapped(address))) throw badRequest('address not allowed');
    const first = spec?.containers?.find(each => each.ports?.length)?.ports?.[0]?.containerPort;
    const usual = scheme === 'https' ? 443 : 80;
    await this.#forward(
      request,
      originOf(scheme, status?.podIP ?? '', port === '' ? (first ?? usual) : port),
      'workload',
    );
  };

  readonly service: ConnectHandler = async request => {
    const { namespace, name } = request;
    await this.#forward(request, await endpointOf(this.#client, namespace, name), 'workload');
  };

  readonly node: ConnectHandler = async request => {
    const { scheme, name, port: requested } = parseTarget(request.name, 'node');
    const { host, port, address } = await kubeletOf(this.#access, name);
    await checkHost(host);
    const isKubelet = requested === '' || requested === String(port);
    if (isKubelet) await this.#forward(request, address, 'kubelet');
    else await this.#forward(request, originOf(scheme, host, requested), 'workload');
  };

  async #forward(request: ConnectRequest, origin: string, trust: BackendRequest['trust']): Promise<void> {
    const { exchange, rest } = request;
    const { method, path, query, upgrades } = exchange;
    if (rest === '' && upgrades === undefined && (method === 'GET' || method === 'HEAD')) {
      const location = `${path}/${query === '' ? '' : `?${query}`}`;
      return exchange.respond(301, { ...request.answerHeaders(), location }, undefined);
    }
    const prefix = rest === '' ? path : path.slice(0, path.length - rest.length);
    await this.#access.backends.forward(
      request,
      { origin, path: rest === '' ? '/' : rest, query, trust, headMs: 0 },
      {
        failure: text =>
          upgrades === undefined
            ? serviceUnavailable(`error trying to reach service: ${text}`)
            : plainError(`error dialing backend: ${text}`),
        headers: headers => {
          for (const name of corsHeaders) delete headers[name];
          const { location } = headers;
          return typeof location === 'string'
            ? { ...headers, location: proxiedLocation(location, origin, prefix) }
            : headers;
        },
      },
    );
  }
}

/** Returns the handlers by PLURAL/SUBRESOURCE. */
export function proxyConnects(access: KubeletAccess): Readonly<Record<string, ConnectHandler>> {
  const { pod, service, node } = new Proxies(access);
  return { 'pods/proxy': pod, 'services/proxy': service, 'nodes/proxy': node };
}
