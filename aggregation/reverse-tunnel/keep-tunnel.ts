import { ExpectedError } from '../../lib/logging/cause.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';
import type { Clock } from '../../lib/clock.js';
import type { Endpoint } from '../interface.js';
import { splitServer } from '../remote/transport/dispatcher.js';
import { openTunnel } from './open-tunnel.js';
import { serveTunnelEnd } from './tunnel-end.js';

interface KeptTunnel {
  readonly cluster: string;
  /** Returns the control plane, with the present credentials of the agent. */
  readonly control: () => Endpoint;
  /** Returns the member, as the agent reaches it. */
  readonly member: () => Endpoint;
  readonly userAgent: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Returns a number from 0 to 1, without it. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** The shortest and the longest time until the next attempt, in milliseconds. */
const firstMs = 1_000;
const lastMs = 30_000;
/** A tunnel that lasted so many milliseconds worked: the next attempt comes soon. */
const lastingMs = 10_000;
const httpsPort = 443;

/** Returns where the API server of the member listens. Throws if a tunnel cannot reach it. */
function addressOf({ server, proxyUrl }: Endpoint): { readonly host: string; readonly port: number } {
  const { origin } = splitServer(server);
  const { protocol, hostname, port } = new URL(origin);
  if (protocol !== 'https:')
    throw new ExpectedError(`a reverse tunnel needs an API server of the cluster with https, not ${server}`);
  if (proxyUrl !== undefined)
    throw new ExpectedError('a reverse tunnel cannot use the proxy in the kubeconfig of the cluster');
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? httpsPort : Number(port) };
}

/** Keeps a reverse tunnel from an agent to the control plane, and opens another one when it has ended. */
class TunnelKeeper {
  readonly #options: KeptTunnel;
  readonly #failureState: FailureState;
  #delayMs = firstMs;

  constructor(options: KeptTunnel) {
    const { log, clock } = options;
    this.#options = options;
    this.#failureState = new FailureState({
      ...{ log, now: () => clock.now() },
      fails: 'the reverse tunnel to the control plane cannot be opened',
      works: 'the reverse tunnel to the control plane can be opened again',
    });
  }

  async run(): Promise<void> {
    const { cluster, clock, random, signal } = this.#options;
    while (!signal.aborted) {
      const begun = clock.now();
      try {
        await this.#once();
      } catch (error) {
        if (!signal.aborted) this.#failureState.failed(error, { cluster });
      }
      if (clock.now() - begun >= lastingMs) this.#delayMs = firstMs;
      // All agents lose their tunnels at the same time when the control plane stops.
      await clock.sleep(this.#delayMs * (0.5 + random()), signal);
      this.#delayMs = Math.min(2 * this.#delayMs, lastMs);
    }
  }

  /** Opens a tunnel, and resolves when it has ended. */
  async #once(): Promise<void> {
    const { cluster, control, userAgent, log, signal } = this.#options;
    const endpoint = this.#options.member();
    const member = addressOf(endpoint);
    const { server } = endpoint;
    const socket = await openTunnel({ control: control(), cluster, server, userAgent, signal });
    this.#failureState.worked();
    log.info({ cluster }, 'the reverse tunnel to the control plane is open');
    const cause = await serveTunnelEnd({ socket, member, signal });
    if (!signal.aborted) log.info({ cluster, cause }, 'the reverse tunnel to the control plane has ended');
  }
}

/** Keeps a reverse tunnel until the signal aborts. Rejects if the member cannot be reached through one. */
export async function keepTunnel(options: KeptTunnel): Promise<void> {
  addressOf(options.member());
  await new TunnelKeeper(options).run();
}
