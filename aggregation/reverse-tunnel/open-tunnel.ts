import type { Duplex } from 'node:stream';
import type { BackendUpgraded } from '../../apiserver/interface.js';
import { tooManyRequests } from '../../apimachinery/errors/status.js';
import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import type { Endpoint } from '../interface.js';
import { upgradeConnection } from '../remote/transport/upgrade.js';
import { refusalOf } from '../remote/refusal-text.js';
import { openPool, splitServer } from '../remote/transport/dispatcher.js';
import {
  type ConnectionUse,
  connectionUseHeader,
  connectionUserHeader,
  memberServerHeader,
  peerConnectMs,
  peerMs,
  peerProtocol,
  retryAfterSeconds,
  tunnelPath,
  tunnelProtocol,
} from './protocol.js';
import { isSilence, PeerSilent, PeerUnavailable } from './peer-availability.js';

interface Upgrading {
  readonly method: 'GET' | 'POST';
  readonly cluster: string;
  readonly protocol: string;
  readonly headers: readonly string[];
  /** Milliseconds until the answer begins. */
  readonly headMs: number;
  /** Milliseconds until the connection is open; absent: as for all servers. */
  readonly connectMs?: number;
  readonly signal: AbortSignal;
}

/** Upgrades a request for the tunnel of a cluster, on a connection of its own. */
async function upgradeAt(server: Endpoint, upgrading: Upgrading): Promise<BackendUpgraded> {
  const { method, cluster, protocol, headers, headMs, connectMs, signal } = upgrading;
  const pool = openPool(server, {
    ...{ connections: null, onlyHttp1: true },
    ...(connectMs !== undefined && { connectMs }),
  });
  try {
    const { origin, prefix } = splitServer(server.server);
    const { token } = server;
    return await upgradeConnection({
      pool,
      request: {
        ...{ origin, path: prefix + tunnelPath(cluster), method, body: undefined },
        headers: [...headers, ...(token === undefined ? [] : ['Authorization', `Bearer ${token}`])],
        ...{ timeoutMs: 0, isLong: true, upgrade: protocol },
      },
      ...{ headMs, signal },
    });
  } finally {
    // The upgraded connection does not belong to the pool any more.
    void pool.destroy();
  }
}

interface Opening {
  /** The control plane, with the credentials of the agent. */
  readonly control: Endpoint;
  readonly cluster: string;
  /** The URL of the API server of the member. */
  readonly server: string;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Milliseconds until the control plane answers. */
const answerMs = 30_000;
/** Characters of the text of a refusal. */
const maxRefusal = 300;

const refusalText = (status: number, body: string): string => refusalOf(status, body).message.slice(0, maxRefusal);

/** Upgrades a request to the control plane. Rejects with the reason of a refusal, or the error of the connection. */
export async function openTunnel({ control, cluster, server, userAgent, signal }: Opening): Promise<Duplex> {
  const answer = await upgradeAt(control, {
    ...{ method: 'POST', cluster, protocol: tunnelProtocol, headMs: answerMs, signal },
    headers: ['User-Agent', userAgent, memberServerHeader, server],
  });
  if (answer.socket) return answer.socket;
  throw new ExpectedError(`the control plane opens no tunnel: ${refusalText(answer.status, answer.body)}`);
}

interface PeerConnection {
  /** The process that has the tunnel, with credentials of the control plane. */
  readonly peer: Endpoint;
  readonly cluster: string;
  readonly use: ConnectionUse;
  /** Milliseconds until the connection to the process is open. */
  readonly connectMs?: number | undefined;
  readonly signal: AbortSignal;
}

const useHeaders = ({ isForUsers, user }: ConnectionUse): string[] => [
  ...(isForUsers ? [connectionUseHeader, 'user'] : []),
  ...(user === undefined ? [] : [connectionUserHeader, encodeURIComponent(user)]),
];

/**
 * Opens a connection to the API server of a member through the tunnel that another process has. Rejects with 429 when users have as many as they may,
 * with PeerUnavailable when the process cannot be reached or has no tunnel, and with the reason why it has not reached the member.
 */
export async function connectThroughPeer(options: PeerConnection): Promise<Duplex> {
  const { peer, cluster, use, connectMs = peerConnectMs, signal } = options;
  const answer = await upgradeAt(peer, {
    ...{ method: 'GET', cluster, protocol: peerProtocol, headMs: peerMs, connectMs, signal },
    headers: ['User-Agent', 'flagship', ...useHeaders(use)],
  }).catch((error: unknown) => {
    if (isSilence(error)) throw new PeerSilent('it does not answer', { cause: error });
    throw new PeerUnavailable(causeText(error), { cause: error });
  });
  if (answer.socket) return answer.socket;
  const reason = refusalText(answer.status, answer.body);
  if (answer.status === 429) throw tooManyRequests(reason, retryAfterSeconds);
  throw answer.status === 503 ? new ExpectedError(reason) : new PeerUnavailable(reason);
}
