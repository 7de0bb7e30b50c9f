/** A member cluster without machines: the same API server in the profile `kubernetes`, on its own port, with simulated nodes and workloads. */
import { isLoopbackHost } from '../lib/loopback-host.js';
import path from 'node:path';
import type { RequestFilter } from '../apiserver/http/filters.js';
import { advertisedHost } from '../server/advertised-host.js';
import type { AdjustableLogger } from '../server/logger.js';
import { type RunningServer, startServer } from '../server/start-server.js';
import { lightCluster, simulatedCluster } from './controllers.js';
import { KubeletAddresses } from './kubelet/kubelet-addresses.js';
import { defaultHardware, type Hardware } from './cluster/nodes.js';

interface MemberOptions {
  readonly name: string;
  /** The folder for storage and keys. */
  readonly directory: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port?: number;
  readonly log: AdjustableLogger;
  readonly hardware?: Partial<Hardware>;
  /** The member has no nodes, runs no workloads, and keeps only its namespaces in order. */
  readonly light?: boolean;
  /** Filters that every request to the member passes first. */
  readonly earlyFilters?: readonly RequestFilter[];
}

/** Starts a member. Rejects with the error of its folder or store; then nothing is left open. */
export const startMember = ({
  name,
  directory,
  host,
  port = 0,
  log,
  hardware,
  light = false,
  earlyFilters = [],
}: MemberOptions): Promise<RunningServer> => {
  const addresses = new KubeletAddresses();
  return startServer({
    kubelets: addresses,
    profile: 'kubernetes',
    tokens: 'ES256', // many members start together
    listen: { host, port },
    pkiDirectory: path.join(directory, 'pki'),
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    log,
    earlyFilters,
    // Endpoints may not contain a loopback address. as apiserver/pkg/server/options DefaultAdvertiseAddress
    advertisedAddress: advertisedHost(isLoopbackHost(host) ? '0.0.0.0' : host),
    parts: [
      light
        ? lightCluster(name)
        : simulatedCluster(name, { hardware: { ...defaultHardware, ...hardware }, host, addresses }),
    ],
  });
};
