/** Allocates node ports of services. The ports in use are those of the stored services and of writes in progress. */
// as pkg/registry/core/service/portallocator
import type { Client } from '../../../../client/interface.js';
import { specOf } from './service-facts.js';
import type { ServiceSpec } from '../../../../api/kubernetes/core.js';
import { services } from '../../../../api/kubernetes/resources.js';

const first = 30_000;
const last = 32_767;
/** The first of the ports that are assigned automatically as long as there are any. */
const dynamicFrom = first + 86;
/** A dry run gets consecutive numbers, which are not reserved. */
const dryRunFrom = 32_769;

/** Returns all node ports of a service. */
export function nodePortsOf(spec: Readonly<ServiceSpec>): number[] {
  const ports = (spec.ports ?? []).map(port => port.nodePort ?? 0);
  return [...ports, spec.healthCheckNodePort ?? 0].filter(port => port !== 0);
}

/** The ports of one write. */
export interface PortClaims {
  /** Returns why the port is not available; undefined if it was taken. */
  take(port: number): Promise<string | undefined>;
  takeAny(): Promise<number | { readonly error: string }>;
  /** Ends the write: its ports are stored, or free again. */
  end(): void;
}

export interface NodePorts {
  claims(client: Client, dryRun: boolean): PortClaims;
}

/** Returns the allocator of node ports. `random` returns numbers from 0 to below 1. */
export function nodePorts(random: () => number): NodePorts {
  const underWay = new Set<number>();

  function claims(client: Client, dryRun: boolean): PortClaims {
    const mine = new Set<number>();
    // Lists all services, but only for the few writes that take ports.
    const storedPorts = async (): Promise<Set<number>> => {
      const { items } = await client.list(services);
      return new Set(items.flatMap(service => nodePortsOf(specOf(service))));
    };
    const claim = (port: number, taken: ReadonlySet<number>): boolean => {
      if (taken.has(port) || mine.has(port) || underWay.has(port)) return false;
      mine.add(port);
      if (!dryRun) underWay.add(port);
      return true;
    };
    return {
      async take(port) {
        // A dry run does not check the range, as upstream.
        if (!dryRun && (port < first || port > last))
          return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
        return claim(port, await storedPorts()) ? undefined : 'provided port is already allocated';
      },
      async takeAny() {
        if (dryRun) {
          const port = Math.max(dryRunFrom - 1, ...mine) + 1;
          mine.add(port);
          return port;
        }
        const taken = await storedPorts();
        for (const [from, to] of [
          [dynamicFrom, last],
          [first, dynamicFrom - 1],
        ] as const) {
          const count = to - from + 1;
          const start = Math.floor(random() * count);
          for (let i = 0; i < count; i++) {
            const port = from + ((start + i) % count);
            if (claim(port, taken)) return port;
          }
        }
        return { error: 'range is full' };
      },
      end() {
        for (const port of mine) underWay.delete(port);
        mine.clear();
      },
    };
  }

  return { claims };
}
