/** Ends the connections through another process of the control plane that gives no sign of life any more: TCP alone does not notice a process that is suspended. */
import type { Duplex } from 'node:stream';
import { IndexedSet, type Registration } from '../../lib/collections/indexed-set.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { Endpoint } from '../interface.js';
import { connect, type Connection } from '../remote/connection.js';
import { isSilence } from './peer-availability.js';
import { pongMs, silenceMs } from './protocol.js';

/** Milliseconds; absent: the constants of the protocol. */
export interface PeerTimes {
  /** Time until a connection to another process is open. */
  readonly connectMs?: number;
  /** Time of silence after which a process is asked for a sign of life, and within which it has to give it. */
  readonly silenceMs?: number;
  readonly pongMs?: number;
}

interface PeerConnectionsOptions {
  /** Returns another process, with credentials of the control plane. */
  readonly peerAt: (url: string) => Endpoint;
  readonly times?: PeerTimes;
}

/** A connection to a member, with the bytes that had come from it at the last look. */
interface PeerConnection {
  readonly socket: Duplex & { readonly bytesRead?: number };
  received: number;
}

/** The connections through one process. */
class Peer {
  readonly #options: PeerConnectionsOptions;
  readonly #url: string;
  readonly #connections = new IndexedSet<PeerConnection>();
  readonly #timer: NodeJS.Timeout;
  /** For the questions, opened with the first one. */
  #control: Connection | undefined;
  #isAsked = false;

  constructor(url: string, options: PeerConnectionsOptions) {
    this.#url = url;
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.times?.silenceMs ?? silenceMs).unref();
  }

  get size(): number {
    return this.#connections.size;
  }

  add(socket: Duplex): Registration {
    return this.#connections.add({ socket, received: 0 });
  }

  close(): void {
    clearInterval(this.#timer);
    void this.#control?.close();
  }

  /** Asks the process for a sign of life if nothing has come through it since the last look. */
  #look(): void {
    let isSilent = true;
    for (const connection of this.#connections.values()) {
      const { bytesRead = 0 } = connection.socket;
      if (bytesRead !== connection.received) isSilent = false;
      connection.received = bytesRead;
    }
    if (isSilent && !this.#isAsked) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsked = true;
    const { peerAt, times } = this.#options;
    try {
      this.#control ??= connect(peerAt(this.#url), { userAgent: 'flagship', connections: 1, onlyHttp1: true });
      const signal = AbortSignal.timeout(times?.pongMs ?? pongMs);
      await this.#control.request({ method: 'GET', path: '/version', signal });
    } catch (error) {
      // A process that stops accepts no connections, and those that are open last until their requests end.
      if (isSilence(error)) this.#end();
    } finally {
      this.#isAsked = false;
    }
  }

  #end(): void {
    for (const { socket } of this.#connections.values())
      socket.destroy(new ExpectedError(`the process at ${this.#url} does not answer any more`));
  }
}

/** The connections to members through other processes. */
export class PeerConnections {
  readonly #options: PeerConnectionsOptions;
  /** The processes with connections, by URL. */
  readonly #peers = new Map<string, Peer>();

  constructor(options: PeerConnectionsOptions) {
    this.#options = options;
  }

  add(url: string, socket: Duplex): void {
    if (socket.destroyed) return;
    const peer = this.#peers.get(url) ?? new Peer(url, this.#options);
    this.#peers.set(url, peer);
    const registration = peer.add(socket);
    socket.once('close', () => {
      registration.remove();
      if (peer.size > 0) return;
      peer.close();
      this.#peers.delete(url);
    });
  }
}
