/** Resolves a Service of the control plane to an address. */
import { endpointSlices, services } from '../../api/kubernetes/resources.js';
import type { Client } from '../../client/interface.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Service } from '../../api/kubernetes/core.js';
import type { EndpointSlice } from '../../api/kubernetes/discovery.js';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Resolves an address. Rejects with upstream's text. */
export type ResolveService = (namespace: string, name: string, port: number) => Promise<Address>;

interface ResolverOptions {
  /** Client for Services and EndpointSlices. */
  readonly client: Client;
  /** Returns the address of this server, which is the endpoint of `default/kubernetes`. */
  readonly self: () => Address | undefined;
  /** Returns a number between 0 and 1. */
  readonly random?: () => number;
}

/**
 * Returns a resolver of Services: to the name of an ExternalName, to a ready endpoint, or to the cluster IP if the Service has no
 * EndpointSlices.
 */
// as apiserver/pkg/util/proxy ResolveEndpoint, ResolveCluster; kube-aggregator/pkg/apiserver loopbackResolver
// differs: upstream takes either endpoints or cluster IPs, by a flag; nothing here routes cluster IPs, so endpoints come first.
export function serviceResolver({ client, self, random = Math.random }: ResolverOptions): ResolveService {
  return async (namespace, name, port) => {
    const selfAddress = namespace === 'default' && name === 'kubernetes' && port === 443 ? self() : undefined;
    if (selfAddress) return selfAddress;
    const { spec = {} } = (await client.get(services, { namespace, name }, { resourceVersion: '0' })) as Service;
    if (spec.type === 'ExternalName') return { host: spec.externalName ?? '', port };
    const found = spec.ports?.find(each => each.port === port);
    if (!found) throw new Error(`no service port ${port} found for service "${name}"`);
    const { items } = await client.list(endpointSlices, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
      resourceVersion: '0',
    });
    const [family] = spec.ipFamilies ?? [];
    const endpoint = readyEndpoint(items, found.name ?? '', family, random);
    if (endpoint) return endpoint;
    const { clusterIP = 'None' } = spec;
    if (items.length > 0 || clusterIP === 'None' || clusterIP === '')
      throw new Error(`no endpoints available for service "${name}"`);
    return { host: clusterIP, port };
  };
}

/** Returns a random ready endpoint with the port, preferably of the given address family. */
function readyEndpoint(
  slices: readonly KubeObject[],
  portName: string,
  family: string | undefined,
  random: () => number,
): Address | undefined {
  const found = (slices as readonly EndpointSlice[]).flatMap(({ ports, endpoints, addressType }) =>
    (ports ?? [])
      .filter(({ name = '', port }) => name === portName && port !== undefined)
      .flatMap(({ port = 0 }) =>
        (endpoints ?? [])
          .filter(({ conditions }) => conditions?.ready ?? true)
          .flatMap(({ addresses }) => addresses?.[0] ?? [])
          .map(host => ({ host, port, addressType })),
      ),
  );
  const preferred = found.filter(({ addressType }) => addressType === family);
  const candidates = preferred.length > 0 ? preferred : found;
  const chosen = candidates[Math.floor(random() * candidates.length)];
  return chosen && { host: chosen.host, port: chosen.port };
}
