/** Allocates addresses and node ports of services when they are written, and releases them when they are deleted. */
// as pkg/registry/core/service/storage beginCreate, beginUpdate, afterDelete
import type { Fault } from '../../../../apimachinery/interface.js';
import { invalidValue } from '../../../../apimachinery/errors/faults.js';
import { internal, invalid, isNotFound } from '../../../../apimachinery/errors/status.js';
import type { ActionCall, ResourceDefinition, Strategy } from '../../../../registry/interface.js';
import type { Service, ServiceSpec } from '../../../../api/kubernetes/core.js';
import { type AddressPool, addressPool } from './address-pool.js';
import { type NodePorts, type PortClaims, nodePorts, nodePortsOf } from './node-ports.js';
import { adoptAllocated, pluralAddress } from './service-adopt.js';
import { isElsewhere, isHeadless, needsHealthCheck, specOf } from './service-facts.js';
import { settleFamilies, staysDualByPreference } from './service-families.js';
import { endpoints } from '../../../../api/kubernetes/resources.js';

/** Services have only IPv4 addresses. */
const families = ['IPv4'];

function refuse({ metadata }: Service, faults: readonly Fault[]): Error {
  return invalid({ group: '', kind: 'Service' }, metadata.name ?? '', faults);
}

/** The addresses that a write takes, and those to release when it succeeds. */
interface Ledger {
  readonly taken: string[];
  readonly toRelease: string[];
}

async function addressesOf(
  pool: AddressPool,
  call: ActionCall,
  service: Service,
  old: Readonly<ServiceSpec> | undefined,
  ledger: Ledger,
): Promise<void> {
  const spec = specOf(service);
  if (old && staysDualByPreference(spec, old)) return;
  const hadOne = old !== undefined && !isElsewhere(old);
  if (hadOne && isElsewhere(spec) && !isHeadless(old)) ledger.toRelease.push(...(old.clusterIPs ?? []));
  if (hadOne || isElsewhere(spec) || spec.clusterIPs?.[0] === 'None') return;
  const [wanted = ''] = spec.clusterIPs ?? [];
  const address = await pool.take(call.client, service, wanted, call.dryRun);
  if (typeof address === 'object') {
    if (address.error === 'range is full')
      throw internal(`failed to allocate a serviceIP for Service "${service.metadata.name ?? ''}": ${address.error}`);
    const text = `failed to allocate IP${wanted === '' ? '' : ` ${wanted}`}: ${address.error}`;
    throw refuse(service, [invalidValue('spec.clusterIPs', spec.clusterIPs ?? null, text)]);
  }
  if (!call.dryRun) ledger.taken.push(address);
  spec.clusterIP = address;
  spec.clusterIPs = [address];
}

const wantsPorts = (spec: Readonly<ServiceSpec>): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === true);

async function portsOf(claims: PortClaims, service: Service, old: Readonly<ServiceSpec> | undefined): Promise<void> {
  const spec = specOf(service);
  const had = new Set(old ? nodePortsOf(old) : []);
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') {
    const given = await requestedPorts(claims, service, had);
    for (const port of spec.ports ?? []) {
      if (port.nodePort || !wantsPorts(spec)) continue;
      // In a new service, ports with the same number and different protocols share a node port.
      const shared = old ? undefined : given.get(port.port ?? 0);
      port.nodePort = shared ?? (await anyPort(claims, 'failed to allocate a nodePort'));
      given.set(port.port ?? 0, port.nodePort);
    }
  }
  if (!needsHealthCheck(spec) || (old && needsHealthCheck(old))) return;
  const requested = spec.healthCheckNodePort ?? 0;
  const error = requested === 0 ? undefined : await claims.take(requested);
  if (error !== undefined) throw internal(`failed to allocate requested HealthCheck NodePort ${requested}: ${error}`);
  if (requested === 0) spec.healthCheckNodePort = await anyPort(claims, 'failed to allocate a HealthCheck NodePort 0');
}

/** Takes the node ports that the service requests and did not have before. Returns the node ports by port number. */
async function requestedPorts(
  claims: PortClaims,
  service: Service,
  had: ReadonlySet<number>,
): Promise<Map<number, number>> {
  const given = new Map<number, number>();
  const seen = new Set<number>(had);
  for (const [i, { port = 0, nodePort = 0 }] of (specOf(service).ports ?? []).entries()) {
    if (nodePort === 0) continue;
    const error = seen.has(nodePort) ? undefined : await claims.take(nodePort);
    if (error !== undefined) throw refuse(service, [invalidValue(`spec.ports[${i}].nodePort`, nodePort, error)]);
    seen.add(nodePort);
    if (!given.has(port)) given.set(port, nodePort);
  }
  return given;
}

async function anyPort(claims: PortClaims, what: string): Promise<number> {
  const port = await claims.takeAny();
  if (typeof port === 'object') throw internal(`${what}: ${port.error}`);
  return port;
}

function beginOf(pool: AddressPool, ports: NodePorts): NonNullable<Strategy['begin']> {
  return async (draft, stored, call) => {
    const service = draft as Service;
    const spec = (service.spec ??= {});
    const old = stored && specOf(stored);
    if (old) adoptAllocated(spec, old);
    else pluralAddress(spec);
    const faults = settleFamilies(spec, old, families);
    if (faults.length > 0) throw refuse(service, faults);
    const ledger: Ledger = { taken: [], toRelease: [] };
    const claims = ports.claims(call.client, call.dryRun);
    const give = async (addresses: readonly string[]): Promise<void> => {
      for (const address of addresses) await pool.give(call.client, address);
    };
    try {
      await addressesOf(pool, call, service, old, ledger);
      await portsOf(claims, service, old);
    } catch (error) {
      claims.end();
      await give(ledger.taken);
      throw error;
    }
    return async written => {
      claims.end();
      await give(written ? ledger.toRelease : ledger.taken);
    };
  };
}

function afterDeleteOf(pool: AddressPool): NonNullable<Strategy['afterDelete']> {
  return async (object, { client }) => {
    const { metadata } = object;
    const spec = specOf(object);
    try {
      await client.delete(endpoints, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (isElsewhere(spec) || isHeadless(spec)) return;
    for (const address of spec.clusterIPs ?? []) await pool.give(client, address);
  };
}

/** Returns the same definitions, with allocation of addresses for services, for one server. `random`: from 0 up to 1. */
export function withServiceAddresses(
  definitions: readonly ResourceDefinition[],
  random: () => number = Math.random,
): readonly ResourceDefinition[] {
  const pool = addressPool(random);
  const rules = { begin: beginOf(pool, nodePorts(random)), afterDelete: afterDeleteOf(pool) };
  return definitions.map(definition =>
    definition.group === '' && definition.kind === 'Service'
      ? { ...definition, strategy: { ...definition.strategy, ...rules } }
      : definition,
  );
}
