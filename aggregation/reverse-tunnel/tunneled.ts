import type { Duplex } from 'node:stream';
import { isTooManyRequests } from '../../apimachinery/errors/status.js';
import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import type { TunnelRoute } from '../interface.js';
import { maxUserStreams } from './protocol.js';
import type { ReverseTunnel } from './reverse-tunnel.js';

/** The way to a member through another process of the control plane, which has its tunnel. */
export interface PeerWay {
  /** Where the process is reached. */
  readonly url: string;
  /** Opens a connection to the API server of the member. Rejects with PeerUnavailable when the process is not there, or has no tunnel any more. */
  readonly open: (isForUsers: boolean) => Promise<Duplex>;
}

/** Another process cannot be reached, or has no tunnel of the cluster. Other failures of a connection through it are those of the member. */
export class PeerUnavailable extends ExpectedError {}

/** The member of a tunnel. */
export interface TunneledMember {
  /** The name of its Cluster. */
  readonly name: string;
  readonly uid: string | undefined;
  /** The URL of its API server, as its agent reaches it. */
  readonly server: string;
}

/** A cluster whose agent has opened a tunnel, to this process or to another one. */
export class Tunneled implements TunnelRoute {
  readonly member: TunneledMember;
  readonly maxUserConnections = maxUserStreams;
  tunnel: ReverseTunnel | undefined;
  /** The way while there is no tunnel to this process. */
  #peer: PeerWay | undefined;
  /** Runs while there is no tunnel. */
  grace: NodeJS.Timeout | undefined;
  /** When the other process was first and last unavailable since a connection reached it, by `performance.now()`. */
  #unavailable: { readonly since: number; readonly last: number } | undefined;

  constructor(member: TunneledMember) {
    this.member = member;
  }

  get server(): string {
    return this.member.server;
  }

  readonly open = (): Promise<Duplex> => this.tunnel?.open() ?? this.#openAtPeer(false);

  readonly openForUsers = (): Promise<Duplex> => this.tunnel?.openForUsers() ?? this.#openAtPeer(true);

  get peer(): PeerWay | undefined {
    return this.#peer;
  }

  /**
   * Returns whether the other process was unavailable for more than so many milliseconds, and still was less than so many ago: it may have ended without
   * a trace. Once in that time it is tried again.
   */
  isGivenUp(milliseconds: number): boolean {
    if (this.tunnel || !this.#unavailable) return false;
    const { since, last } = this.#unavailable;
    const now = performance.now();
    return now - since > milliseconds && now - last <= milliseconds;
  }

  useTunnel(tunnel: ReverseTunnel): void {
    this.tunnel = tunnel;
    this.leavePeer();
  }

  usePeer(peer: PeerWay): void {
    if (this.#peer?.url === peer.url) return;
    this.#peer = peer;
    this.#unavailable = undefined;
  }

  leavePeer(): void {
    this.#peer = undefined;
    this.#unavailable = undefined;
  }

  async #openAtPeer(isForUsers: boolean): Promise<Duplex> {
    const { name } = this.member;
    const peer = this.#peer;
    if (!peer) throw tunnelNotOpen(name);
    try {
      const socket = await peer.open(isForUsers);
      this.#judge(peer, true);
      return socket;
    } catch (error) {
      this.#judge(peer, !(error instanceof PeerUnavailable));
      if (isTooManyRequests(error)) throw error;
      const text = `the reverse tunnel of cluster ${name} cannot be used through the process at ${peer.url}`;
      throw new ExpectedError(`${text}: ${causeText(error)}`, { cause: error });
    }
  }

  /** Notes whether a process was available, unless another way was taken meanwhile. */
  #judge(peer: PeerWay, isAvailable: boolean): void {
    if (this.#peer?.url !== peer.url) return;
    const now = performance.now();
    this.#unavailable = isAvailable ? undefined : { since: this.#unavailable?.since ?? now, last: now };
  }

  end(error: Error): void {
    clearTimeout(this.grace);
    this.tunnel?.close(error);
    this.tunnel = undefined;
    this.leavePeer();
  }
}

/** Returns the error for a connection to a member whose agent keeps no tunnel at present. */
export const tunnelNotOpen = (cluster: string): Error =>
  new ExpectedError(`the reverse tunnel of cluster ${cluster} is not open`);
