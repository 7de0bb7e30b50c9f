import type { Duplex } from 'node:stream';
import type { Cluster } from '../../api/karmada/types.js';
import { ConnectionClosed } from '../../lib/http2/client-session.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { TunnelRoute, TunnelRoutes } from '../interface.js';
import { ReverseTunnel } from './reverse-tunnel.js';
import { type PeerWay, Tunneled, type TunneledMember } from './tunneled.js';

/** Milliseconds for which a cluster whose tunnel has ended counts as reached by it. An agent opens another one within this time, and mirrors resume. */
const defaultGraceMs = 120_000;

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

/** A tunnel that an agent has opened to this process. */
interface OwnTunnel {
  readonly tunnel: ReverseTunnel;
  readonly member: TunneledMember;
}

/**
 * The reverse tunnels of agents, one per cluster: those to this process, of which a newer one replaces the former, and those to other processes, as far
 * as these are known (`usePeer`).
 */
export class ReverseTunnels implements TunnelRoutes {
  readonly #clusters = new Map<string, Tunneled>();
  /** The tunnels whose agents have not sent their settings, with the names of their clusters. */
  readonly #opening = new Map<ReverseTunnel, string>();
  readonly #graceMs: number;
  readonly #listeners = new Set<(cluster: string) => void>();
  #isClosed = false;

  constructor({ graceMs = defaultGraceMs }: { readonly graceMs?: number } = {}) {
    this.#graceMs = graceMs;
  }

  routeOf({ metadata: { name = '', uid }, spec }: Cluster): TunnelRoute | undefined {
    if (spec.syncMode !== 'Pull') return undefined;
    const known = this.#clusters.get(name);
    if (known?.member.uid !== uid) return undefined;
    return spec.apiEndpoint && known?.isGivenUp ? undefined : known;
  }

  /** Returns the tunnel of a cluster to this process; undefined if it is not open. */
  ownTunnel(cluster: string): OwnTunnel | undefined {
    const { tunnel, member } = this.#clusters.get(cluster) ?? {};
    return tunnel && member && { tunnel, member };
  }

  /** The clusters whose tunnels end in this process. */
  ownClusters(): readonly string[] {
    return [...this.#clusters.values()].filter(({ tunnel }) => tunnel).map(({ member }) => member.name);
  }

  counts(): readonly TunnelCount[] {
    return [...this.#clusters.values()]
      .filter(({ peer }) => !peer)
      .map(({ member, tunnel }) => ({
        ...{ cluster: member.name, isOpen: tunnel !== undefined, streams: tunnel?.size ?? 0 },
      }));
  }

  /** Calls the listener when the tunnel of a cluster to this process is opened, or has ended. */
  onChange(listener: (cluster: string) => void): void {
    this.#listeners.add(listener);
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
          this.#use({ name, uid, server }, tunnel);
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

  #use(member: TunneledMember, tunnel: ReverseTunnel): void {
    if (this.#isClosed) return tunnel.close();
    const { current, former } = this.#place(member);
    current.useTunnel(tunnel);
    former?.close(new ExpectedError('a newer tunnel of the cluster has replaced it'));
    this.#changed(member.name);
  }

  /** Uses the tunnel that another process has. One that ends here has precedence. */
  usePeer(member: TunneledMember, peer: PeerWay): void {
    if (this.#isClosed || this.ownTunnel(member.name)) return;
    const { current } = this.#place(member);
    current.usePeer(peer);
  }

  /** Another process has no tunnel of the cluster any more. */
  leavePeer(cluster: string): void {
    const known = this.#clusters.get(cluster);
    if (!known?.peer) return;
    const { isGivenUp } = known;
    known.leavePeer();
    // The time for which it would be kept has passed.
    if (isGivenUp) this.#drop(known);
    else this.#await(known);
  }

  /** Returns the entry of a cluster, the same one while its member is, and the tunnel that it has had. */
  #place(member: TunneledMember): { readonly current: Tunneled; readonly former: ReverseTunnel | undefined } {
    const { name, uid, server } = member;
    const known = this.#clusters.get(name);
    const isSame = known?.member.uid === uid && known?.server === server;
    const current = isSame && known ? known : new Tunneled(member, this.#graceMs);
    const former = known?.tunnel;
    if (known) known.tunnel = undefined;
    clearTimeout(known?.grace);
    this.#clusters.set(name, current);
    return { current, former };
  }

  #ended(name: string, tunnel: ReverseTunnel): void {
    const known = this.#clusters.get(name);
    if (known?.tunnel !== tunnel) return;
    known.tunnel = undefined;
    this.#await(known);
    this.#changed(name);
  }

  /** Keeps the cluster for some time without a tunnel. */
  #await(tunneled: Tunneled): void {
    clearTimeout(tunneled.grace);
    tunneled.grace = setTimeout(() => this.#drop(tunneled), this.#graceMs).unref();
  }

  #drop(tunneled: Tunneled): void {
    const { name } = tunneled.member;
    if (this.#clusters.get(name) === tunneled) this.#clusters.delete(name);
  }

  #changed(cluster: string): void {
    for (const listener of this.#listeners) listener(cluster);
  }

  /** Ends the tunnel of a cluster to this process, since its agent has opened another one to `peer`. */
  replaceByPeer(member: TunneledMember, peer: PeerWay): void {
    const known = this.#clusters.get(member.name);
    const former = known?.tunnel;
    if (known) known.tunnel = undefined;
    this.usePeer(member, peer);
    former?.close(new ExpectedError('a newer tunnel of the cluster to another process has replaced it'));
  }

  /** Ends the tunnels of a cluster that is removed, also one that is not used yet. */
  forget(name: string): void {
    const removed = new ExpectedError('the Cluster was removed');
    const known = this.#clusters.get(name);
    this.#clusters.delete(name);
    known?.end(removed);
    for (const [tunnel, of] of this.#opening) if (of === name) tunnel.close(removed);
    if (known) this.#changed(name);
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
