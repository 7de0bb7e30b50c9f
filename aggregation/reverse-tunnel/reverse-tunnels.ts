import type { Duplex } from 'node:stream';
import type { Cluster } from '../../api/karmada/types.js';
import { ConnectionClosed } from '../../lib/http2/client-session.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { TunnelRoute, TunnelRoutes } from '../interface.js';
import { maxUserStreams } from './protocol.js';
import { ReverseTunnel } from './reverse-tunnel.js';

/** Milliseconds for which a cluster whose tunnel has ended counts as reached by it. An agent opens another one within this time, and mirrors resume. */
const defaultGraceMs = 120_000;

/** A cluster whose agent has opened a tunnel. */
class Tunneled implements TunnelRoute {
  readonly name: string;
  readonly uid: string | undefined;
  readonly server: string;
  readonly maxUserConnections = maxUserStreams;
  tunnel: ReverseTunnel | undefined;
  /** Runs while there is no tunnel. */
  grace: NodeJS.Timeout | undefined;

  constructor(name: string, uid: string | undefined, server: string) {
    this.name = name;
    this.uid = uid;
    this.server = server;
  }

  readonly open = (): Promise<Duplex> => this.tunnel?.open() ?? this.#notOpen();

  readonly openForUsers = (): Promise<Duplex> => this.tunnel?.openForUsers() ?? this.#notOpen();

  #notOpen(): Promise<never> {
    return Promise.reject(new ExpectedError(`the reverse tunnel of cluster ${this.name} is not open`));
  }

  end(error: Error): void {
    clearTimeout(this.grace);
    this.tunnel?.close(error);
    this.tunnel = undefined;
  }
}

interface OpenedTunnel {
  readonly cluster: Cluster;
  /** The URL of the API server of the member, as its agent reaches it. */
  readonly server: string;
  /** The upgraded connection of the agent. */
  readonly socket: Duplex;
  /** Called when the tunnel is used. */
  readonly ready?: () => void;
}

interface TunnelCount {
  readonly cluster: string;
  readonly isOpen: boolean;
  /** The number of connections to the member. */
  readonly streams: number;
}

/** The reverse tunnels that agents have opened to this process, one per cluster: a newer one replaces the former. */
export class ReverseTunnels implements TunnelRoutes {
  readonly #clusters = new Map<string, Tunneled>();
  /** The tunnels whose agents have not sent their settings, with the names of their clusters. */
  readonly #opening = new Map<ReverseTunnel, string>();
  readonly #graceMs: number;
  #isClosed = false;

  constructor({ graceMs = defaultGraceMs }: { readonly graceMs?: number } = {}) {
    this.#graceMs = graceMs;
  }

  routeOf({ metadata: { name = '', uid }, spec }: Cluster): TunnelRoute | undefined {
    if (spec.syncMode !== 'Pull') return undefined;
    const known = this.#clusters.get(name);
    return known?.uid === uid ? known : undefined;
  }

  counts(): readonly TunnelCount[] {
    return [...this.#clusters.values()].map(({ name, tunnel }) => ({
      ...{ cluster: name, isOpen: tunnel !== undefined, streams: tunnel?.size ?? 0 },
    }));
  }

  /** Uses a connection as the tunnel of a cluster, once its agent has sent its settings. Resolves with the reason when it has ended. */
  add({ cluster, server, socket, ready }: OpenedTunnel): Promise<Error> {
    const { name = '', uid } = cluster.metadata;
    return new Promise(resolve => {
      if (this.#isClosed) {
        socket.destroy();
        return resolve(new ConnectionClosed());
      }
      const tunnel: ReverseTunnel = new ReverseTunnel({
        ...{ socket, member: name },
        ready: () => {
          this.#opening.delete(tunnel);
          this.#use(new Tunneled(name, uid, server), tunnel);
          ready?.();
        },
        closed: error => {
          this.#opening.delete(tunnel);
          this.#ended(name, tunnel);
          resolve(error);
        },
      });
      this.#opening.set(tunnel, name);
    });
  }

  #use(wanted: Tunneled, tunnel: ReverseTunnel): void {
    if (this.#isClosed) return tunnel.close();
    const { name, uid, server } = wanted;
    const known = this.#clusters.get(name);
    const isSame = known !== undefined && known.uid === uid && known.server === server;
    const current = isSame ? known : wanted;
    const former = known?.tunnel;
    if (known) known.tunnel = undefined;
    clearTimeout(known?.grace);
    current.tunnel = tunnel;
    this.#clusters.set(name, current);
    former?.close(new ExpectedError('a newer tunnel of the cluster has replaced it'));
  }

  #ended(name: string, tunnel: ReverseTunnel): void {
    const known = this.#clusters.get(name);
    if (known?.tunnel !== tunnel) return;
    known.tunnel = undefined;
    known.grace = setTimeout(() => this.#drop(known), this.#graceMs).unref();
  }

  #drop(tunneled: Tunneled): void {
    if (this.#clusters.get(tunneled.name) === tunneled) this.#clusters.delete(tunneled.name);
  }

  /** Ends the tunnels of a cluster that is removed, also one that is not used yet. */
  forget(name: string): void {
    const removed = new ExpectedError('the Cluster was removed');
    const known = this.#clusters.get(name);
    this.#clusters.delete(name);
    known?.end(removed);
    for (const [tunnel, of] of this.#opening) if (of === name) tunnel.close(removed);
  }

  /** Ends all tunnels, and takes no more. */
  close(): void {
    this.#isClosed = true;
    for (const name of [...this.#clusters.keys()]) {
      const known = this.#clusters.get(name);
      this.#clusters.delete(name);
      known?.end(new ExpectedError('the control plane stops'));
    }
    for (const tunnel of this.#opening.keys()) tunnel.close(new ExpectedError('the control plane stops'));
  }
}
