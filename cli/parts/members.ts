import path from 'node:path';
import { requestedTokens } from '../../aggregation/members/accounts.js';
import { joinCluster } from '../../aggregation/members/join.js';
import { remote } from '../../aggregation/remote/client.js';
import type { LogFormat, AdjustableLogger, LogLevel } from '../../server/logger.js';
import type { Part } from '../../server/parts.js';
import { causeText } from '../../lib/logging/cause.js';
import { follow } from '../../client/watch/follow.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { resources } from '../../api/karmada/well-known.js';
import { serveControl } from '../../simulator/control/server.js';
import { type Fleet, type FleetMember, startFleet } from '../../simulator/fleet.js';
import { controlSocketOf } from '../data-directory.js';

interface Options {
  readonly count: number;
  readonly directory: string;
  readonly host: string;
  /** The members use the following ports, where they are free. */
  readonly port: number;
  /** Absent: members log nothing. */
  readonly logLevel?: LogLevel;
  readonly logFormat?: LogFormat;
}

/** Tokens that last until the next start, which renews them. */
const tokens = requestedTokens(10 * 365 * 24 * 3600);

/** Joins a member as karmadactl does, with the member's own administrator. */
async function join({ name, url, caBundle, admin }: FleetMember, control: Client): Promise<void> {
  const { certificate: clientCertificate, key: clientKey } = admin;
  const member = remote({ server: url, ca: caBundle, clientCertificate, clientKey }, { userAgent: 'karmadactl' });
  try {
    await joinCluster({ name, control, member, endpoint: url, authority: caBundle, tokens });
  } finally {
    await member.close();
  }
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
async function joinOrRejoin(member: FleetMember, rejoining: Rejoining): Promise<void> {
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

interface SimulatedMembers {
  readonly part: Part;
  /** Stops the members when the control plane fails to start. */
  abandon(): Promise<void>;
}

/**
 * Simulated member clusters `member1`, `member2`, ... in folders of their own, joined in push mode. They start immediately, in parallel with the
 * control plane; the part waits for them.
 */
export function simulatedMembers(
  { count, directory, host, port, logLevel, logFormat = 'json' }: Options,
  log: AdjustableLogger,
): SimulatedMembers {
  const starting = startFleet(
    {
      names: Array.from({ length: count }, (_, i) => `member${i + 1}`),
      directory: path.join(directory, 'members'),
      host,
      firstPort: port === 0 ? 0 : port + 1,
      // Members stand for other clusters, whose routine messages are not part of the control plane's log.
      ...(logLevel !== undefined && { logLevel: logLevel === 'info' ? 'warn' : logLevel, logFormat }),
    },
    log,
  );
  const abandon = (): Promise<void> => starting.then(fleet => fleet.stop()).catch(() => undefined); // `start` reports the error
  starting.catch(() => undefined); // it may fail before `start` awaits it
  return {
    abandon,
    part: {
      name: 'simulated-members',
      async start({ clientFor, signal }) {
        const control = clientFor({ name: 'system:admin', groups: ['system:masters'] }, 'karmadactl');
        const fleet = await starting;
        try {
          await Promise.all(fleet.members.map(member => joinOrRejoin(member, { control, log, signal })));
        } catch (error) {
          await fleet.stop();
          throw error;
        }
        const endControl = await openControl(fleet, directory, log);
        const contexts = fleet.members.map(({ name, url, caBundle, admin }) => {
          return { name, server: url, authority: caBundle, user: { credential: admin } };
        });
        const stop = async (): Promise<void> => {
          await endControl();
          await fleet.stop();
        };
        return { stop, contexts };
      },
    },
  };
}
