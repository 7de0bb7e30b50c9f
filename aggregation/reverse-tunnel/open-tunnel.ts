import type { Duplex } from 'node:stream';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { Endpoint } from '../interface.js';
import { upgradeConnection } from '../kubelets/upgrade.js';
import { refusalOf } from '../webhooks/refusal-text.js';
import { openPool, splitServer } from '../remote/dispatcher.js';
import { memberServerHeader, tunnelPath, tunnelProtocol } from './protocol.js';

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

/** Upgrades a request to the control plane. Rejects with the reason of a refusal, or the error of the connection. */
export async function openTunnel({ control, cluster, server, userAgent, signal }: Opening): Promise<Duplex> {
  const pool = openPool(control, { connections: null, onlyHttp1: true });
  try {
    const { origin, prefix } = splitServer(control.server);
    const { token } = control;
    const answer = await upgradeConnection({
      pool,
      request: {
        ...{ origin, path: prefix + tunnelPath(cluster), method: 'POST', body: undefined },
        headers: [
          ...['User-Agent', userAgent, memberServerHeader, server],
          ...(token === undefined ? [] : ['Authorization', `Bearer ${token}`]),
        ],
        ...{ timeoutMs: 0, isLong: true, upgrade: tunnelProtocol },
      },
      ...{ headMs: answerMs, signal },
    });
    if (answer.socket) return answer.socket;
    throw new ExpectedError(
      `the control plane opens no tunnel: ${refusalOf(answer.status, answer.body).message.slice(0, maxRefusal)}`,
    );
  } finally {
    // The upgraded connection does not belong to the pool any more.
    void pool.destroy();
  }
}
