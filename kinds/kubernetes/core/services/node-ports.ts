/** Ports of nodes that services take. Those that are taken are those of the services that stand, and of writes under way. */
// as pkg/registry/core/service/portallocator
import type { Client } from '../../../../client/interface.js';
import { specOf } from './service-facts.js';
import type { ServiceSpec } from '../../../../api/kubernetes/core.js';
import { services } from '../../../../api/kubernetes/resources.js';

const first = 30_000;
const last = 32_767;
/** The first of those that are given to who asks for none in particular, as long as there are any. */
const dynamicFrom = first + 86;
/** What a dry run gets: no port at all, but one after the other. */
const dryRunFrom = 32_769;

/** All ports of nodes that a service has. */
export function nodePortsOf(spec: Readonly<ServiceSpec>): number[] {
  const ports = (spec.ports ?? []).map(port => port.nodePort ?? 0);
  return [...ports, spec.healthCheckNodePort ?? 0].filter(port => port !== 0);
}

/** One write's ports. */
export interface PortClaims {
  /** Why it cannot be had; undefined when it can. */
  take(port: number): Promise<string | undefined>;
  takeAny(): Promise<number | { readonly error: string }>;
  /** The write is over: what it took is on record, or free again. */
  end(): void;
}

export interface NodePorts {
  claims(client: Client, dryRun: boolean): PortClaims;
}

export function nodePorts(random: () => number): NodePorts {
  const underWay = new Set<number>();

  function claims(client: Client, dryRun: boolean): PortClaims {
    const mine = new Set<number>();
    // A list of all services, but only for those few that take ports.
    const standing = async (): Promise<Set<number>> => {
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
        // A dry run does not look at the range, as upstream.
        if (!dryRun && (port < first || port > last))
          return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
        return claim(port, await standing()) ? undefined : 'provided port is already allocated';
      },
      async takeAny() {
        if (dryRun) {
          const port = Math.max(dryRunFrom - 1, ...mine) + 1;
          mine.add(port);
          return port;
        }
        const taken = await standing();
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
