import type { Endpoint } from '../../aggregation/interface.js';
import type { TokenSource } from '../../aggregation/members/accounts.js';
import { silent } from '../../server/logger.js';
import type { PartContext } from '../../server/parts.js';
import type { ClusterSettings } from '../flags/karmada/cluster.js';
import type { DescribedMember } from '../members-file.js';
import { noMeter } from '../../client/runtime/meter.js';
import { runAgent } from './run-agent.js';
import type { AgentSettings } from './settings.js';

interface SimulatedAgentOptions {
  readonly name: string;
  readonly member: Endpoint;
  readonly tokens: TokenSource;
  readonly facts: DescribedMember['facts'];
  /** The control plane, which runs in this process. */
  readonly part: PartContext;
  readonly probing: ClusterSettings['probing'];
}

/** The agent of a simulated member. It reaches both servers over HTTPS, as one that is a process of its own. */
export class SimulatedAgent {
  readonly #options: SimulatedAgentOptions;
  #stop: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SimulatedAgentOptions) {
    this.#options = options;
  }

  /**
   * Registers the cluster, and runs the agent from then on. An agent that runs already is stopped before. Rejects if the cluster cannot be
   * registered.
   */
  async register(): Promise<void> {
    await this.stop();
    const stop = new AbortController();
    this.#stop = stop;
    await new Promise<void>((resolve, reject) => {
      const { tokens, part, name } = this.#options;
      // The state of members is in the log of the control plane already, where the name of a member has another meaning.
      const deps = { log: silent, meter: noMeter, signal: stop.signal, tokens, onRegistered: resolve };
      this.#running = runAgent(this.#settings(), deps).then(resolve, (error: unknown) => {
        reject(error instanceof Error ? error : new Error(String(error)));
        part.log.debug({ cluster: name, err: error }, 'the agent of a simulated member has ended');
      });
    });
  }

  async stop(): Promise<void> {
    this.#stop?.abort();
    await this.#running;
  }

  #settings(): AgentSettings {
    const { name, member, facts, part, probing } = this.#options;
    const { provider = '', region = '', zones = [] } = facts;
    return {
      cluster: name,
      control: () => {
        const { admin, authority } = part.pki;
        return {
          ...{ server: part.url, ca: authority.certificate },
          ...{ clientCertificate: admin.certificate, clientKey: admin.key },
        };
      },
      member: () => member,
      ...{ controlRate: undefined, memberRate: undefined, election: undefined },
      facts: {
        ...{ namespace: 'karmada-cluster', secrets: new Set(['KubeCredentials', 'KubeImpersonator'] as const) },
        ...{ apiEndpoint: member.server, proxyUrl: '', provider, region, zones },
      },
      enabled: controller => controller !== 'certRotation',
      ...{ lease: { durationMs: 40_000, renewFraction: 0.25 }, probing, syncTimeoutMs: 120_000, modelsResources: true },
      reverseTunnel: false,
      certRotation: { namespace: 'karmada-system', intervalMs: 300_000, remainingShare: 0.2 },
      ...{ tuning: {}, gates: part.featureGates },
    };
  }
}
