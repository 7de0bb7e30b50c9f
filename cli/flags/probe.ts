import type { FlagTable, FlagValues } from './flags.js';
import { type ListenAddress, parseListenAddress } from './listen-address.js';

const probeFlag = (path: string, address: string) =>
  ({ type: 'string', value: 'HOST:PORT', default: address, help: `Address of ${path}; 0: none` }) as const;

/** Returns the flags of a program that runs beside the control plane and serves /healthz and /metrics, with its default addresses. */
export const probeFlags = (defaults: { readonly health: string; readonly metrics: string }) =>
  ({
    'health-probe-bind-address': probeFlag('/healthz', defaults.health),
    'metrics-bind-address': probeFlag('/metrics', defaults.metrics),
  }) satisfies FlagTable;

/** Where a program serves its probes; undefined: they are not served. */
export interface ProbeAddresses {
  readonly health: ListenAddress | undefined;
  readonly metrics: ListenAddress | undefined;
}

/** Throws UsageError. */
export function parseProbes(values: FlagValues<ReturnType<typeof probeFlags>>): ProbeAddresses {
  const of = (flag: keyof typeof values): ListenAddress | undefined =>
    values[flag] === '0' ? undefined : parseListenAddress(flag, values[flag]);
  return { health: of('health-probe-bind-address'), metrics: of('metrics-bind-address') };
}
