/** An agent: registers a cluster in pull mode, and runs the controllers of karmada-controller-manager for it. */
import { setMaxListeners } from 'node:events';
import type { Endpoint, RemoteClient } from '../../aggregation/interface.js';
import { secretTokens, type TokenSource } from '../../aggregation/members/accounts.js';
import { registerCluster } from '../../aggregation/members/register.js';
import { clientSeries } from '../../aggregation/remote/client-series.js';
import { keepTunnel } from '../../aggregation/reverse-tunnel/keep-tunnel.js';
import { remote } from '../../aggregation/remote/client.js';
import { HeldTexts } from '../../aggregation/remote/mirror/held-texts.js';
import { RenewableClient } from '../../aggregation/remote/renewable-client.js';
import { clientSigner } from '../../api/kubernetes/well-known.js';
import { requestCertificate } from '../../client/certificates/request-certificate.js';
import { createControllerContext } from '../../client/runtime/context.js';
import type { ControllerContext, ObserveQueue } from '../../client/runtime/interface.js';
import { runWithLeader } from '../../client/runtime/leader.js';
import type { Meter } from '../../client/runtime/meter.js';
import { rotateCertificate } from '../../controllers/agent/cert-rotation.js';
import { ownInformers } from '../../controllers/agent/own-informers.js';
import { systemClock } from '../../lib/clock.js';
import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import type { Logger } from '../../lib/logging/interface.js';
import { identity } from '../parts/elected.js';
import { runAgentControllers } from './controllers.js';
import { followCredentials } from './follow-credentials.js';
import type { AgentSettings } from './settings.js';

const userAgent = 'karmada-agent';

/** What a certificate of an agent is for. as pkg/controllers/certificate createCSRInControlPlane */
const usages = ['digital signature', 'key encipherment', 'client auth'];
/** The share of the renew deadline after which the Lease of the leader election is renewed. The rest is for further attempts. */
const renewedShare = 0.7;
/** Milliseconds until a certificate must be signed. */
const signatureMs = 5 * 60_000;

interface AgentDeps {
  readonly log: Logger;
  readonly meter: Meter;
  readonly observeQueue?: ObserveQueue;
  /** Ends the agent when it aborts. */
  readonly signal: AbortSignal;
  /** The source of the tokens that are reported; tokens without expiry if absent. */
  readonly tokens?: TokenSource;
  /** Called when the cluster is registered. */
  readonly onRegistered?: () => void;
}

/** A server with the client of the agent. */
interface Connected {
  /** What the credentials were at the start. */
  readonly first: Endpoint;
  readonly client: RenewableClient;
}

/** Rejects with a line that names the server when it does not answer, or refuses the credentials. */
async function checkAnswers(client: RemoteClient, what: string, { server }: Endpoint): Promise<void> {
  let status: number;
  try {
    ({ status } = await client.raw({ method: 'GET', path: '/version' }));
  } catch (error) {
    throw new ExpectedError(`${what} at ${server} does not answer: ${causeText(error)}`, { cause: error });
  }
  if (status === 401) throw new ExpectedError(`${what} at ${server} refuses the credentials of the kubeconfig`);
}

class Agent {
  readonly #settings: AgentSettings;
  readonly #deps: AgentDeps;
  readonly #control: Connected;
  readonly #member: Connected;

  constructor(settings: AgentSettings, deps: AgentDeps) {
    const { control, member, controlRate, memberRate } = settings;
    this.#settings = settings;
    this.#deps = deps;
    const observe = clientSeries(deps.meter);
    const texts = new HeldTexts();
    const controlEndpoint = control();
    const memberEndpoint = member();
    this.#control = {
      first: controlEndpoint,
      client: new RenewableClient(controlEndpoint, endpoint =>
        remote(endpoint, { userAgent, observe, rate: controlRate }),
      ),
    };
    this.#member = {
      first: memberEndpoint,
      client: new RenewableClient(memberEndpoint, endpoint =>
        remote(endpoint, { userAgent, observe, rate: memberRate, texts, attempts: 1 }),
      ),
    };
  }

  /** Resolves when the signal has aborted and everything has ended. Rejects if the cluster cannot be registered. */
  async run(): Promise<void> {
    const { control, member, cluster } = this.#settings;
    const { log, signal, onRegistered } = this.#deps;
    try {
      await checkAnswers(this.#control.client, 'the control plane', this.#control.first);
      await checkAnswers(this.#member.client, 'the cluster', this.#member.first);
      await this.#register();
      if (signal.aborted) return;
      log.info({ cluster }, 'the cluster is registered');
      onRegistered?.();
      await Promise.all([
        followCredentials({ ...this.#control, source: control, what: 'control plane', log, signal }),
        followCredentials({ ...this.#member, source: member, what: 'cluster', log, signal }),
        this.#lead(),
      ]);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await Promise.all([this.#control.client.close(), this.#member.client.close()]);
    }
  }

  async #register(): Promise<void> {
    const { cluster: name, facts } = this.#settings;
    const { log, signal, tokens = secretTokens } = this.#deps;
    const { provider, region, zones, apiEndpoint, proxyUrl } = facts;
    const { first } = this.#member;
    const proxyURL = proxyUrl || first.proxyUrl;
    const outcome = await registerCluster({
      ...{ name, tokens, signal },
      control: this.#control.client,
      member: this.#member.client,
      namespace: facts.namespace,
      reported: facts.secrets,
      authority: first.ca ?? '',
      facts: {
        ...(provider && { provider }),
        ...(region && { region }),
        ...(zones.length > 0 && { zones: [...zones] }),
      },
      reach: {
        ...(apiEndpoint && { apiEndpoint }),
        ...(proxyURL && { proxyURL }),
        ...(first.insecureSkipVerify && { insecureSkipTLSVerification: true }),
      },
    });
    if (outcome === 'kept')
      log.warn({ cluster: name }, 'the Cluster has other settings, which the agent may not change');
  }

  /** Runs the controllers while this agent leads those of the cluster. */
  async #lead(): Promise<void> {
    const { election, cluster } = this.#settings;
    const { log, signal, meter } = this.#deps;
    if (!election) return this.#runControllers(signal);
    await runWithLeader({
      ...{ client: this.#control.client, clock: systemClock, log, signal, meter, ...election.timing, identity },
      namespace: election.namespace,
      name: `karmada-agent-${cluster}`,
      // differs: Karmada's agent renews at every retry period, which is most of what an idle agent costs the control plane.
      renewEveryMs: election.timing.renewMs * renewedShare,
      lead: leading => this.#runControllers(leading),
    });
  }

  async #runControllers(signal: AbortSignal): Promise<void> {
    const { cluster, enabled, tuning, gates, reverseTunnel } = this.#settings;
    const { log, meter, observeQueue } = this.#deps;
    setMaxListeners(0, signal); // Each loop of the controllers adds listeners.
    const context = createControllerContext({
      ...{ client: this.#control.client, clock: systemClock, log, signal, meter },
      ...(observeQueue && { observeQueue }),
      tuning: { ...tuning, defersFirstLists: gates.ControllerPriorityQueue },
    });
    const own = { ...context, informers: ownInformers(context.informers, cluster) };
    const rotation = enabled('certRotation') ? this.#rotateCertificate(own) : Promise.resolve();
    const member = { client: this.#member.client, server: this.#member.first.server };
    const tunnel = reverseTunnel ? this.#keepTunnel(signal) : Promise.resolve();
    await Promise.all([runAgentControllers(own, this.#settings, member), rotation, tunnel]);
  }

  /** Keeps the reverse tunnel of the cluster. The one agent that leads has it. */
  #keepTunnel(signal: AbortSignal): Promise<void> {
    return keepTunnel({
      ...{ cluster: this.#settings.cluster, userAgent, log: this.#deps.log, clock: systemClock, signal },
      random: () => Math.random(),
      control: () => this.#control.client.endpoint,
      member: () => this.#member.client.endpoint,
    });
  }

  #rotateCertificate(context: ControllerContext): Promise<void> {
    const { cluster, certRotation } = this.#settings;
    const { client } = this.#control;
    const { signal } = context;
    return rotateCertificate(context, {
      ...{ ...certRotation, cluster, member: this.#member.client },
      request: wanted =>
        requestCertificate(client, {
          ...wanted,
          signerName: clientSigner,
          usages,
          timeoutMilliseconds: signatureMs,
          signal,
        }),
      use: ({ certificatePem, keyPem }) => {
        const { server, ca, insecureSkipVerify, proxyUrl } = this.#controlEndpoint();
        client.renew({
          ...{ server, clientCertificate: certificatePem, clientKey: keyPem },
          ...(ca !== undefined && { ca }),
          ...(insecureSkipVerify && { insecureSkipVerify }),
          ...(proxyUrl !== undefined && { proxyUrl }),
        });
      },
    });
  }

  /** Returns where the control plane is now; as at the start if that cannot be read. */
  #controlEndpoint(): Endpoint {
    try {
      return this.#settings.control();
    } catch {
      return this.#control.first; // The loop that reads credentials again reports it.
    }
  }
}

/** Runs an agent until the signal aborts. Rejects if its credentials cannot be read, a server does not answer, or the cluster cannot be registered. */
export const runAgent = async (settings: AgentSettings, deps: AgentDeps): Promise<void> =>
  new Agent(settings, deps).run();
