import path from 'node:path';
import { boundTokens } from '../aggregation/members/accounts.js';
import { joinCluster } from '../aggregation/members/join.js';
import type { Endpoint } from '../aggregation/interface.js';
import { remote } from '../aggregation/remote/client.js';
import type { AdjustableLogger } from '../server/logger.js';
import type { Part, PartContext } from '../server/parts.js';
import { causeText } from '../lib/logging/cause.js';
import { follow } from '../client/watch/follow.js';
import { find } from '../client/find.js';
import type { Client } from '../client/interface.js';
import { resources } from '../api/karmada/well-known.js';
import { serveControl } from '../simulator/control/server.js';
import { type Fleet, type FleetMember, startFleet } from '../simulator/fleet.js';
import { SimulatedAgent } from './agent/simulated-agent.js';
import type { ClusterSettings } from './cluster-flags.js';
import { controlSocketOf } from './data-directory.js';
import type { LogSettings } from './log-flags.js';
import type { DescribedMember } from './members-file.js';

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

const agentOf = (
  member: FleetMember,
  { facts }: DescribedMember,
  part: PartContext,
  probing: ClusterSettings['probing'],
): SimulatedAgent =>
  new SimulatedAgent({ name: member.name, member: endpointOf(member), tokens, facts, part, probing });

const defaultProbing = { frequencyMs: 10_000, thresholds: { successMs: 30_000, failureMs: 30_000 } };

interface SimulatedMembers {
  readonly part: Part;
  /** Stops the members when the control plane fails to start. */
  abandon(): Promise<void>;
}

/**
 * Simulated member clusters in folders of their own, joined in push mode or with an agent in pull mode. They start immediately, in parallel with the
 * control plane; the part waits for them.
 */
export function simulatedMembers(
  { described, directory, host, port, logging, probing = defaultProbing }: Options,
  log: AdjustableLogger,
): SimulatedMembers {
  const starting = startFleet(
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
  const abandon = (): Promise<void> => starting.then(fleet => fleet.stop()).catch(() => undefined); // `start` reports the error
  starting.catch(() => undefined); // it may fail before `start` awaits it
  return {
    abandon,
    part: {
      name: 'simulated-members',
      async start(part) {
        const { clientFor, signal } = part;
        const control = clientFor({ name: 'system:admin', groups: ['system:masters'] }, 'karmadactl');
        const fleet = await starting;
        const joining = described.flatMap(each => {
          const member = fleet.members.find(({ name }) => name === each.name);
          const isPulled = each.syncMode === 'Pull';
          return member
            ? [{ ...member, described: each, agent: isPulled ? agentOf(member, each, part, probing) : undefined }]
            : [];
        });
        const stop = async (): Promise<void> => {
          await Promise.all(joining.map(({ agent }) => agent?.stop() ?? Promise.resolve()));
          await fleet.stop();
        };
        try {
          for (const { name, latencyMs: delayMs } of described)
            if (delayMs > 0) await fleet.setReachability(name, { state: 'slow', delayMs });
          await Promise.all(joining.map(member => joinOrRejoin(member, { control, log, signal })));
        } catch (error) {
          await stop();
          throw error;
        }
        const endControl = await openControl(fleet, directory, log);
        const contexts = fleet.members.map(({ name, url, caBundle, admin }) => {
          return { name, server: url, authority: caBundle, user: { credential: admin } };
        });
        return {
          contexts,
          stop: async () => {
            await endControl();
            await stop();
          },
        };
      },
    },
  };
}
