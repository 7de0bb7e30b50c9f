import type { Duplex } from 'node:stream';
import {
  badRequest,
  forbidden,
  gone,
  isNotFound,
  isTooManyRequests,
  methodNotSupported,
  serviceUnavailable,
} from '../../apimachinery/errors/status.js';
import type { Delegate, RequestContext } from '../../apiserver/interface.js';
import { systemMasters } from '../../authn/identity/system-users.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Client } from '../../client/interface.js';
import type { Meter } from '../../client/runtime/meter.js';
import { ConnectionClosed } from '../../lib/http2/client-session.js';
import { causeText } from '../../lib/logging/cause.js';
import type { Logger } from '../../lib/logging/interface.js';
import { getCluster } from '../proxy/target.js';
import { tunnel } from '../proxy/tunnel.js';
import {
  connectionUseHeader,
  connectionUserHeader,
  isTunnelRequest,
  memberServerHeader,
  peerProtocol,
  tunnelProtocol,
} from './protocol.js';
import type { ReverseTunnels } from './reverse-tunnels.js';
import { tunnelNotOpen } from './tunneled.js';

interface TunnelServerDeps {
  /** Client for clusters. The requester has been authorized for the tunnel before. */
  readonly client: Client;
  readonly log: Logger;
  readonly meter: Meter;
}

/** Characters of the URL of a member. */
const maxServerLength = 512;

/** Returns the URL of the API server of the member that the agent has sent. Throws for one that it cannot have. */
function memberServerOf({ exchange }: RequestContext): string {
  const sent = exchange.headers[memberServerHeader];
  const text = typeof sent === 'string' && sent.length <= maxServerLength ? sent : '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw badRequest(`the header ${memberServerHeader} must be the https URL of the API server of the member`);
  return text;
}

/** Returns the user of a connection that another process opens, as it has sent it; undefined for one that several users share. */
function connectionUserOf({ exchange }: RequestContext): string | undefined {
  const sent = exchange.headers[connectionUserHeader];
  if (typeof sent !== 'string') return undefined;
  try {
    return decodeURIComponent(sent);
  } catch {
    throw badRequest(`the header ${connectionUserHeader} is not percent-encoded`);
  }
}

/** Returns a connection through a tunnel, or throws why it cannot be opened: 429, or 503. */
async function opened(connection: Promise<Duplex>): Promise<Duplex> {
  try {
    return await connection;
  } catch (error) {
    throw isTooManyRequests(error) ? error : serviceUnavailable(causeText(error));
  }
}

/** Answers the upgrade, and returns the connection. Undefined: the client is gone. */
function upgraded({ exchange }: RequestContext): Duplex | undefined {
  const upgrade = exchange.takeOver();
  if (!upgrade) return undefined;
  const { socket, head } = upgrade;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${tunnelProtocol}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  return socket;
}

/** Serves `POST clusters/NAME/tunnel`, which an agent upgrades to its reverse tunnel. RBAC decides who may do so (`create` of `clusters/tunnel`). */
class TunnelServer {
  readonly #tunnels: ReverseTunnels;
  readonly #deps: TunnelServerDeps;
  readonly #opened;

  constructor(tunnels: ReverseTunnels, deps: TunnelServerDeps) {
    const { meter } = deps;
    this.#tunnels = tunnels;
    this.#deps = deps;
    meter.gauge('flagship_reverse_tunnel_open', 'Whether the reverse tunnel of a cluster is open (1) or not (0).', () =>
      tunnels.counts().map(({ cluster, isOpen }) => ({ labels: { cluster }, value: isOpen ? 1 : 0 })),
    );
    meter.gauge('flagship_reverse_tunnel_connections', 'Connections to a member through its reverse tunnel.', () =>
      tunnels.counts().map(({ cluster, streams }) => ({ labels: { cluster }, value: streams })),
    );
    this.#opened = meter.counter('flagship_reverse_tunnel_opened_total', 'Reverse tunnels that were opened.', [
      'cluster',
    ]);
  }

  /** Returns whether the Cluster is still there. One that cannot be read is. */
  async #isThere({ metadata: { name = '', uid } }: Cluster): Promise<boolean> {
    try {
      return (await getCluster(this.#deps.client, name)).metadata.uid === uid;
    } catch (error) {
      return !isNotFound(error);
    }
  }

  readonly serve = (request: RequestContext): Promise<void> =>
    request.exchange.method === 'GET' ? this.#connectPeer(request) : this.#open(request);

  /**
   * Gives another process a connection to the member through the tunnel that this one has. RBAC is not enough to be one: roles that may get everything
   * are common, and the connection is one to the network of the member.
   */
  async #connectPeer(request: RequestContext): Promise<void> {
    const { exchange, info, signal, user } = request;
    if (!user.groups.includes(systemMasters))
      throw forbidden(resources.clusters, info.name, 'its reverse tunnel is for the processes of the control plane');
    if (exchange.upgrades !== peerProtocol) throw badRequest(`an upgrade to ${peerProtocol} is required`);
    const { tunnel: own } = this.#tunnels.ownTunnel(info.name) ?? {};
    if (!own) throw gone(tunnelNotOpen(info.name).message);
    const isForUsers = exchange.headers[connectionUseHeader] === 'user';
    const socket = await opened(isForUsers ? own.openForUsers(connectionUserOf(request)) : own.open());
    const upgrade = exchange.takeOver();
    if (!upgrade) return void socket.destroy();
    await tunnel(upgrade, { status: 101, headers: { connection: 'Upgrade', upgrade: peerProtocol }, socket }, signal);
  }

  async #open(request: RequestContext): Promise<void> {
    const { exchange, info, signal } = request;
    const { log, client } = this.#deps;
    if (exchange.method !== 'POST') throw methodNotSupported(resources.clusters, info.verb);
    if (exchange.upgrades !== tunnelProtocol) throw badRequest(`an upgrade to ${tunnelProtocol} is required`);
    const server = memberServerOf(request);
    const cluster = await getCluster(client, info.name);
    if (cluster.spec.syncMode !== 'Pull') throw badRequest(`cluster ${info.name} is not in pull mode`);
    const socket = upgraded(request);
    if (!socket) return;
    const close = (): void => void socket.destroy();
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    const { name = '' } = cluster.metadata;
    let isOpen = false;
    const ended = this.#tunnels.add({
      ...{ cluster, server, socket },
      ready: () => {
        isOpen = true;
        this.#opened(name).inc();
        log.info({ cluster: name, server, from: exchange.peer.address }, 'a reverse tunnel is open');
      },
    });
    // It may have been removed before its tunnel was known.
    if (!(await this.#isThere(cluster))) close();
    const error = await ended;
    signal.removeEventListener('abort', close);
    const message = isOpen ? 'a reverse tunnel has ended' : 'a reverse tunnel could not be opened';
    const cause = error instanceof ConnectionClosed && error.message === '' ? 'it was closed' : causeText(error);
    log.info({ cluster: name, cause }, message);
  }
}

/** Returns the delegate that takes the tunnels of agents. */
export function tunnelDelegate(tunnels: ReverseTunnels, deps: TunnelServerDeps): Delegate {
  const { serve } = new TunnelServer(tunnels, deps);
  return info => (isTunnelRequest(info) ? serve : undefined);
}
