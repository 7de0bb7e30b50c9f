/**
 * Allocates addresses of services. Each address in use is an IPAddress object, so that processes that share a store never assign the same
 * address.
 */
// as pkg/registry/core/service/ipallocator
import {
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  maskIp,
  parseCidr,
  parseIp,
} from '../../../../apimachinery/net/ip.js';
import { isAlreadyExists, isNotFound } from '../../../../apimachinery/errors/status.js';
import { find } from '../../../../client/find.js';
import type { Client } from '../../../../client/interface.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { IPAddress, ServiceCIDR } from '../../../../api/kubernetes/networking.js';
import type { Service } from '../../../../api/kubernetes/core.js';
import { ipAddressFamilyLabel, ipAddressManagedByLabel } from '../../../../api/kubernetes/well-known.js';

const addresses = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
const ranges = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };
/** The default if no ServiceCIDR exists. */
const defaultRange = '10.96.0.0/12';
const manager = { fieldManager: 'kube-apiserver' };
/** The number of random attempts before the addresses in use are listed. */
const quickTries = 8;

/** A range of IPv4 addresses, as numbers. */
interface Range {
  readonly cidr: Cidr;
  readonly first: number;
  readonly last: number;
  /** Addresses below it are assigned automatically only if those above are used up: they are reserved for explicit requests. */
  readonly dynamicFrom: number;
}

const numberOf = (address: readonly number[]): number => address.reduce((sum, byte) => sum * 256 + byte, 0);
const addressOf = (n: number): number[] => [24, 16, 8, 0].map(shift => Math.floor(n / 2 ** shift) % 256);

/** Returns a range without the network address and the broadcast address. */
function rangeOf(text: string): Range | undefined {
  const cidr = parseCidr(text);
  if (cidr?.address.length !== 4) return undefined;
  const size = 2 ** (32 - cidr.bits);
  const base = numberOf(maskIp(cidr.address, cidr.bits));
  const hosts = Math.max(size - 2, 0);
  const offset = size <= 16 ? 0 : Math.min(256, Math.max(16, Math.floor(size / 16)));
  return { cidr, first: base + 1, last: base + hosts, dynamicFrom: base + 1 + Math.min(offset, hosts) };
}

async function rangesOf(client: Client): Promise<Range[]> {
  const { items } = await client.list(ranges);
  const usable = (items as ServiceCIDR[]).filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      !status?.conditions?.some(c => c.type === 'Ready' && c.status !== 'True'),
  );
  const texts = items.length === 0 ? [defaultRange] : usable.flatMap(cidr => cidr.spec?.cidrs ?? []);
  return texts.flatMap(text => rangeOf(text) ?? []);
}

export interface AddressPool {
  /** Returns the address, or why there is none. `wanted`: the requested address, or ''. */
  take(client: Client, service: Service, wanted: string, dryRun: boolean): Promise<string | { readonly error: string }>;
  give(client: Client, address: string): Promise<void>;
}

class ClusterAddresses implements AddressPool {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  async take(
    client: Client,
    service: Service,
    wanted: string,
    dryRun: boolean,
  ): Promise<string | { readonly error: string }> {
    if (wanted !== '') return takeWanted(client, service, wanted, dryRun);
    if (dryRun) return formatIp((await rangesOf(client))[0]?.cidr.address ?? []);
    return (await this.#takeAny(client, service)) ?? { error: 'range is full' };
  }

  async give(client: Client, address: string): Promise<void> {
    const parsed = parseIp(address, { sloppy: true });
    if (!parsed) return;
    try {
      await client.delete(addresses, { name: formatIp(parsed) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #takeAny(client: Client, service: Service): Promise<string | undefined> {
    for (const { first, last, dynamicFrom } of await rangesOf(client)) {
      const spans = [
        [dynamicFrom, last],
        [first, dynamicFrom - 1],
      ] as const;
      for (const [from, to] of spans) {
        const found = from > to ? undefined : await this.#takeFrom(client, service, from, to);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** Tries some addresses at random, then all that are free, from a random one on. */
  async #takeFrom(client: Client, service: Service, from: number, to: number): Promise<string | undefined> {
    const count = to - from + 1;
    const start = Math.floor(this.#random() * count);
    const nth = (i: number): string => formatIp(addressOf(from + ((start + i) % count)));
    for (let i = 0; i < Math.min(quickTries, count); i++) if (await claim(client, service, nth(i))) return nth(i);
    const taken = new Set((await client.list(addresses)).items.map(({ metadata }) => metadata.name));
    for (let i = 0; i < count; i++) if (!taken.has(nth(i)) && (await claim(client, service, nth(i)))) return nth(i);
    return undefined;
  }
}

/** `random`: from 0 up to 1. */
export const addressPool = (random: () => number): AddressPool => new ClusterAddresses(random);

/** Creates the object of an address. Returns whether the service has the address now. */
async function claim(client: Client, service: Service, address: string): Promise<boolean> {
  try {
    await client.create(addresses, addressObject(service, address), manager);
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return isOf(service, await find(client, addresses, { name: address }));
  }
}

async function takeWanted(
  client: Client,
  service: Service,
  wanted: string,
  dryRun: boolean,
): Promise<string | { readonly error: string }> {
  const all = await rangesOf(client);
  const [any] = all;
  const address = parseIp(wanted, { sloppy: true }) ?? [];
  const n = numberOf(address.slice(-4));
  // A dry run checks only one range, as upstream.
  const range = dryRun ? any : all.find(({ cidr }) => cidrContains(cidr, address));
  if (!range) return { error: 'the provided network does not match the current range' };
  if (n < range.first || n > range.last) {
    const text = `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${formatCidr(range.cidr)}`;
    return { error: text };
  }
  if (dryRun || (await claim(client, service, formatIp(addressOf(n))))) return wanted;
  return { error: 'provided IP is already allocated' };
}

// differs: upstream refuses an address that already belongs to the service, as after an interrupted write.
function isOf({ metadata }: Service, address: IPAddress | undefined): boolean {
  const { resource, namespace, name } = address?.spec?.parentRef ?? {};
  return resource === 'services' && namespace === metadata.namespace && name === metadata.name;
}

function addressObject({ metadata }: Service, address: string): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: address,
      labels: {
        [ipAddressFamilyLabel]: 'IPv4',
        [ipAddressManagedByLabel]: 'ipallocator.k8s.io',
      },
    },
    spec: {
      parentRef: { resource: 'services', namespace: metadata.namespace ?? '', name: metadata.name ?? '' },
    },
  };
}
