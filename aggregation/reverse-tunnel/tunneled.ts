import type { Duplex } from 'node:stream';
import { isTooManyRequests } from '../../apimachinery/errors/status.js';
import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import type { TunnelRoute } from '../interface.js';
import { PeerAvailability, PeerUnavailable } from './peer-availability.js';
import { type ConnectionUse, maxUserStreams } from './protocol.js';
import type { ReverseTunnel } from './reverse-tunnel.js';

/** The way to a member through another process of the control plane, which has its tunnel. */
export interface PeerWay {
  /** Where the process is reached. */
  readonly url: string;
  /** The id of the process: another one may get its URL. */
  readonly process: string;
  /** Opens a connection to the API server of the member. Rejects with PeerUnavailable when the process is not there, or has no tunnel any more. */
  readonly open: (use: ConnectionUse) => Promise<Duplex>;
  /** Called when a connection has failed, and the process is given up. */
  readonly givenUp: () => void;
}

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
  #peer: { readonly way: PeerWay; readonly availability: PeerAvailability } | undefined;
  /** Runs while there is no tunnel. */
  grace: NodeJS.Timeout | undefined;
  readonly #graceMs: number;

  /** `graceMs`: milliseconds after which another process that is not available is given up. */
  constructor(member: TunneledMember, graceMs: number) {
    this.member = member;
    this.#graceMs = graceMs;
  }

  get server(): string {
    return this.member.server;
  }

  readonly open = (): Promise<Duplex> => this.tunnel?.open() ?? this.#openAtPeer({ isForUsers: false });

  readonly openForUsers = (user?: string): Promise<Duplex> =>
    this.tunnel?.openForUsers(user) ?? this.#openAtPeer({ isForUsers: true, user });

  get peer(): PeerWay | undefined {
    return this.#peer?.way;
  }

  /** Returns whether the other process was unavailable for some time: it may have ended without a trace. Once in that time it is tried again. */
  get isGivenUp(): boolean {
    return !this.tunnel && this.#peer?.availability.isLost(this.#graceMs) === true;
  }

  useTunnel(tunnel: ReverseTunnel): void {
    this.tunnel = tunnel;
    this.leavePeer();
  }

  usePeer(way: PeerWay): void {
    const { url, process } = this.#peer?.way ?? {};
    if (url === way.url && process === way.process) return;
    this.#peer = { way, availability: new PeerAvailability() };
  }

  leavePeer(): void {
    this.#peer = undefined;
  }

  async #openAtPeer(use: ConnectionUse): Promise<Duplex> {
    if (!this.#peer) throw tunnelNotOpen(this.member.name);
    const { way, availability } = this.#peer;
    const refusal = availability.refusal();
    if (refusal) throw this.#unusable(way, refusal);
    try {
      const socket = await way.open(use);
      availability.reached();
      return socket;
    } catch (error) {
      if (error instanceof PeerUnavailable) availability.failed(error);
      else availability.reached();
      if (this.peer === way && this.isGivenUp) way.givenUp();
      throw isTooManyRequests(error) ? error : this.#unusable(way, error);
    }
  }

  #unusable({ url }: PeerWay, error: unknown): Error {
    const text = `the reverse tunnel of cluster ${this.member.name} cannot be used through the process at ${url}`;
    return new ExpectedError(`${text}: ${causeText(error)}`, { cause: error });
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
