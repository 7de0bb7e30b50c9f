import type { Duplex } from 'node:stream';
import { tooManyRequests } from '../../apimachinery/errors/status.js';
import { BlockWriter } from '../../lib/http2/block-writer.js';
import { ClientSession, ConnectionClosed } from '../../lib/http2/client-session.js';
import { defaults, settings } from '../../lib/http2/frames.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { turns } from '../remote/turns.js';
import {
  maxStreams,
  maxStreamsOfUser,
  maxUserStreams,
  openMs,
  pongMs,
  renewTunnelAfter,
  retryAfterSeconds,
  silenceMs,
  tunnelStreamWindow,
  tunnelWindow,
} from './protocol.js';
import { TunnelStream } from './tunnel-stream.js';

interface ReverseTunnelOptions {
  /** The upgraded connection of the agent. */
  readonly socket: Duplex;
  /** The member, in error messages. */
  readonly member: string;
  /** Called when the agent has sent its settings: connections may be opened. */
  readonly ready: () => void;
  /** Called once, when the tunnel is closed. */
  readonly closed: (error: Error) => void;
  /** Milliseconds of silence after which the agent is asked for a sign of life, and within which it has to give it. */
  readonly silenceMs?: number;
  readonly pongMs?: number;
}

/** Bytes of the headers of one answer. */
const maxHeaderBytes = 8 * 1024;
/** Bytes in the socket above which no DATA is sent, and above which nothing is read. */
const maxUnsent = 1024 * 1024;
const pauseAbove = 2 * 1024 * 1024;
/** Milliseconds until the agent has sent its settings. */
const settingsMs = 10_000;

/** The agent connects to one server, whatever the CONNECT names. */
function connectBlock(): Buffer {
  const writer = new BlockWriter();
  writer.begin(false);
  writer.field(':method', 'CONNECT');
  writer.field(':authority', 'member');
  return Buffer.from(writer.block());
}

const connect = connectBlock();

/** The control plane's end of a reverse tunnel: the client of HTTP/2 on the connection of an agent. */
export class ReverseTunnel {
  readonly #member: string;
  readonly #session: ClientSession<TunnelStream>;
  /** Connections for requests of users. */
  #userStreams = 0;
  /** Those of single users, by their names. */
  readonly #streamsOf = new Map<string, number>();

  constructor(options: ReverseTunnelOptions) {
    const { socket, member, ready, closed } = options;
    this.#member = member;
    const late = setTimeout(() => this.close(new ExpectedError('the agent has sent no settings')), settingsMs);
    this.#session = new ClientSession<TunnelStream>({
      socket,
      settings: [
        [settings.initialWindow, tunnelStreamWindow],
        [settings.maxHeaders, maxHeaderBytes],
      ],
      ...{ window: tunnelWindow, renewAfter: renewTunnelAfter, maxHeaderBytes, maxUnsent, pauseAbove },
      maxFrame: defaults.maxFrame,
      lane: turns.lane(),
      ...{ holdsData: true, probesIdle: true },
      silenceMs: options.silenceMs ?? silenceMs,
      answerMs: options.pongMs ?? pongMs,
      limitTable: () => undefined, // The block of a CONNECT uses no table.
      ready: () => {
        clearTimeout(late);
        ready();
      },
      ...{ freed: () => undefined, retired: () => undefined },
      closed: error => {
        clearTimeout(late);
        closed(error);
      },
    });
  }

  /** The number of connections to the member. */
  get size(): number {
    return this.#session.size;
  }

  /** Opens a connection to the API server of the member. Rejects with the agent's reason, or when the tunnel has no room. */
  open(): Promise<Duplex> {
    const session = this.#session;
    if (!session.hasRoom || session.size >= maxStreams)
      return Promise.reject(
        new ExpectedError(
          session.isRetired
            ? `the reverse tunnel of cluster ${this.#member} has ended`
            : `the reverse tunnel of cluster ${this.#member} has no room for another connection: ${session.size} are open`,
        ),
      );
    return this.#begin();
  }

  /**
   * As `open`, for proxied requests of users, which leave a part of the tunnel to the control plane, and those of one user a part of this to others.
   * Rejects with 429 when they have theirs.
   */
  async openForUsers(user?: string): Promise<Duplex> {
    if (this.#userStreams >= maxUserStreams) throw this.#refusal('users', this.#userStreams);
    const own = user === undefined ? 0 : this.#openOf(user);
    if (own >= maxStreamsOfUser) throw this.#refusal(`user "${user}"`, own);
    this.#count(user, 1);
    try {
      const stream = await this.open();
      if (stream.closed) this.#count(user, -1);
      else stream.once('close', () => this.#count(user, -1));
      return stream;
    } catch (error) {
      this.#count(user, -1);
      throw error;
    }
  }

  #openOf(user: string): number {
    return this.#streamsOf.get(user) ?? 0;
  }

  #count(user: string | undefined, change: 1 | -1): void {
    this.#userStreams += change;
    if (user === undefined) return;
    const count = this.#openOf(user) + change;
    if (count > 0) this.#streamsOf.set(user, count);
    else this.#streamsOf.delete(user);
  }

  #refusal(whose: string, count: number): Error {
    const text = `the reverse tunnel of cluster ${this.#member} has no room for another connection of ${whose}`;
    return tooManyRequests(`${text}: ${count} are open, please try again later`, retryAfterSeconds);
  }

  #begin(): Promise<Duplex> {
    const session = this.#session;
    return new Promise((resolve, reject) => {
      const stream: TunnelStream = new TunnelStream({
        ...{ session, member: this.#member, openMs },
        opened: error => (error ? reject(error) : resolve(stream)),
      });
      session.begin(stream);
      session.sendHeaders(stream, connect, false);
    });
  }

  /** Closes the tunnel, and breaks off its connections. */
  close(error: Error = new ConnectionClosed()): void {
    this.#session.close(error);
  }
}
