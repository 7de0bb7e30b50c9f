import path from 'node:path';
import { boundTokens } from '../../aggregation/members/accounts.js';
import { joinCluster } from '../../aggregation/members/join.js';
import type { Endpoint } from '../../aggregation/interface.js';
import { remote } from '../../aggregation/remote/client.js';
import type { AdjustableLogger } from '../../server/logger.js';
import type { Part, PartContext, RunningPart } from '../../server/parts.js';
import { causeText } from '../../lib/logging/cause.js';
import { follow } from '../../client/watch/follow.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { resources } from '../../api/karmada/well-known.js';
import { serveControl } from '../../simulator/control/server.js';
import { type Fleet, type FleetMember, startFleet } from '../../simulator/fleet.js';
import { SimulatedAgent } from '../agent/simulated-agent.js';
import { type ClusterSettings, defaultProbing } from '../flags/karmada/cluster.js';
import { controlSocketOf } from '../flags/data-directory.js';
import type { LogSettings } from '../flags/log.js';
import type { DescribedMember } from '../members-file.js';

interface Options {
  readonly described: readonly DescribedMember[];
  readonly directory: string;
  readonly host: string;
  /** The members use the following ports, where they are free. */
  readonly port: number;
  /** Absent: members log nothing. */
  readonly logging?: LogSettings;
  /** How the agents of members in pull mode observe them; as Karmada by default. */
  readonly probing?: ClusterSettings['probing'];
}

/** Tokens that are renewed, also by the next start. A simulated member issues them. */
const tokens = boundTokens(refusal => {
  throw refusal;
});

/** A member that runs, and how it joins. */
interface JoiningMember extends FleetMember {
  readonly described: DescribedMember;
  /** The agent of a member in pull mode. */
  readonly agent: SimulatedAgent | undefined;
}

const endpointOf = ({ url, caBundle, admin }: FleetMember): Endpoint => ({
  ...{ server: url, ca: caBundle, clientCertificate: admin.certificate, clientKey: admin.key },
});

/** Joins a member as karmadactl does, with the member's own administrator; one in pull mode is registered by its agent. */
async function join({ described, agent, ...joining }: JoiningMember, control: Client): Promise<void> {
  const { name, url, caBundle } = joining;
  if (agent) await agent.register();
  else {
    const member = remote(endpointOf(joining), { userAgent: 'karmadactl' });
    try {
      const facts = described.facts;
      await joinCluster({ name, control, member, endpoint: url, authority: caBundle, tokens, facts });
    } finally {
      await member.close();
    }
  }
  const { labels } = described;
  if (Object.keys(labels).length > 0)
    await control.patch(resources.clusters, { name }, { type: 'merge', patch: { metadata: { labels } } });
}

interface Rejoining {
  readonly control: Client;
  readonly log: AdjustableLogger;
  readonly signal: AbortSignal;
}

/** Resolves when the Cluster of this uid is deleted; rejects when the signal aborts first. */
async function removal(uid: string, name: string, { control, log, signal }: Rejoining): Promise<void> {
  const gone = new AbortController();
  const isThere = (): boolean => followed.objects.get(name)?.object.metadata.uid === uid;
  const followed = follow(resources.clusters, {
    client: control,
    selection: { fieldSelector: `metadata.name=${name}` },
    signal: AbortSignal.any([signal, gone.signal]),
    onChange: (_key, previous) => previous && !isThere() && gone.abort(),
    onError: error => log.debug({ cluster: name, err: error }, 'a watch failed'),
  });
  await followed.synced;
  if (!isThere()) gone.abort();
  await followed.done;
  signal.throwIfAborted();
}

/**
 * Joins a member, and once more when a Cluster of this name was still being removed, after the removal; the start does not wait for that.
 * Rejects with the error of the first attempt.
 */
async function joinOrRejoin(member: JoiningMember, rejoining: Rejoining): Promise<void> {
  const { control, log, signal } = rejoining;
  const { name } = member;
  await join(member, control); // also when it is being removed: the removal has to reach the member at its present address
  const { uid = '', deletionTimestamp } = (await find(control, resources.clusters, { name }))?.metadata ?? {};
  if (uid !== '' && !deletionTimestamp) return;
  log.info({ cluster: name }, 'member joins again when its earlier removal is done');
  removal(uid, name, rejoining)
    .then(() => join(member, control))
    .catch((error: unknown) => {
      if (!signal.aborted) log.error({ cluster: name, err: error }, 'member could not join');
    });
}

/** Opens the socket of `flagship member`. Without it the members still run, and the log says why it is missing. */
async function openControl(fleet: Fleet, directory: string, log: AdjustableLogger): Promise<() => Promise<void>> {
  const socket = controlSocketOf(directory);
  try {
    return await serveControl(fleet, socket);
  } catch (error) {
    log.warn({ cause: causeText(error), socket }, '"flagship member" cannot be used: its socket cannot be opened');
    return () => Promise.resolve();
  }
}

/**
 * Simulated member clusters in folders of their own, joined in push mode or with an agent in pull mode. They start immediately, in parallel with the
 * control plane; the part waits for them.
 */
export class SimulatedMembers {
  readonly part: Part = { name: 'simulated-members', start: context => this.#start(context) };
  readonly #options: Options;
  readonly #log: AdjustableLogger;
  readonly #starting: Promise<Fleet>;

  constructor(options: Options, log: AdjustableLogger) {
    const { described, directory, host, port, logging } = options;
    this.#options = options;
    this.#log = log;
    this.#starting = startFleet(
      {
        names: described.map(({ name }) => name),
        hardware: Object.fromEntries(described.map(({ name, hardware }) => [name, hardware])),
        directory: path.join(directory, 'members'),
        host,
        firstPort: port === 0 ? 0 : port + 1,
        // Members stand for other clusters, whose routine messages are not part of the control plane's log.
        ...(logging && { logLevel: logging.level === 'info' ? 'warn' : logging.level, logFormat: logging.format }),
      },
      log,
    );
    this.#starting.catch(() => undefined); // it may fail before the part awaits it
  }

  /** Stops the members when the control plane fails to start. */
  async abandon(): Promise<void> {
    try {
      await (await this.#starting).stop();
    } catch {
      // The part reports the error of their start. Members that do not stop end with this process.
    }
  }

  async #start(context: PartContext): Promise<RunningPart> {
    const fleet = await this.#starting;
    const joining = this.#joining(fleet, context);
    const stop = async (): Promise<void> => {
      await Promise.all(joining.map(({ agent }) => agent?.stop() ?? Promise.resolve()));
      await fleet.stop();
    };
    try {
      await this.#join(fleet, joining, context);
    } catch (error) {
      await stop();
      throw error;
    }
    const endControl = await openControl(fleet, this.#options.directory, this.#log);
    return {
      contexts: fleet.members.map(({ name, url, caBundle, admin }) => ({
        ...{ name, server: url, authority: caBundle, user: { credential: admin } },
      })),
      stop: async () => {
        await endControl();
        await stop();
      },
    };
  }

  #joining(fleet: Fleet, context: PartContext): readonly JoiningMember[] {
    return this.#options.described.flatMap(described => {
      const member = fleet.members.find(({ name }) => name === described.name);
      if (!member) return [];
      const agent = described.syncMode === 'Pull' ? this.#agentOf(member, described, context) : undefined;
      return [{ ...member, described, agent }];
    });
  }

  #agentOf(member: FleetMember, { facts }: DescribedMember, part: PartContext): SimulatedAgent {
    const { probing = defaultProbing } = this.#options;
    return new SimulatedAgent({ name: member.name, member: endpointOf(member), tokens, facts, part, probing });
  }

  async #join(fleet: Fleet, joining: readonly JoiningMember[], { clientFor, signal }: PartContext): Promise<void> {
    for (const { name, latencyMs: delayMs } of this.#options.described)
      if (delayMs > 0) await fleet.setReachability(name, { state: 'slow', delayMs });
    const control = clientFor({ name: 'system:admin', groups: ['system:masters'] }, 'karmadactl');
    await Promise.all(joining.map(member => joinOrRejoin(member, { control, log: this.#log, signal })));
  }
}
