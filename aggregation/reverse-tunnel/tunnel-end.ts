import http2 from 'node:http2';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { causeText, ExpectedError } from '../../lib/logging/cause.js';
import { connectMs, faultHeader, maxStreams, pongMs, silenceMs, tunnelStreamWindow, tunnelWindow } from './protocol.js';

interface TunnelEndOptions {
  /** The upgraded connection to the control plane. */
  readonly socket: Duplex;
  /** The API server of the member, the only one that is connected. */
  readonly member: { readonly host: string; readonly port: number };
  /** Closes the tunnel when it aborts. */
  readonly signal: AbortSignal;
  /** Milliseconds of silence after which a ping is sent, and within which something has to arrive then. */
  readonly silenceMs?: number;
  readonly pongMs?: number;
}

/** Characters of the reason why the member could not be connected. */
const maxFault = 300;

/** The agent's end of a reverse tunnel: the server of HTTP/2, which connects each stream with the API server of the member. */
class TunnelEnd {
  /** Resolves when the tunnel has ended, with the reason. */
  readonly ended: Promise<string>;
  readonly #options: TunnelEndOptions;
  readonly #session: http2.ServerHttp2Session;
  readonly #connections = new Set<net.Socket>();
  #reason = 'the control plane has closed it';
  #receivedBefore = 0;
  #late: NodeJS.Timeout | undefined;

  constructor(options: TunnelEndOptions) {
    const { socket, signal } = options;
    if (socket.destroyed) throw new ExpectedError('the connection to the control plane is closed');
    this.#options = options;
    this.#session = http2.performServerHandshake(socket, {
      settings: { maxConcurrentStreams: maxStreams, initialWindowSize: tunnelStreamWindow },
      maxSessionMemory: tunnelWindow / 1024 / 1024,
    });
    this.#session.setLocalWindowSize(tunnelWindow);
    this.#session.on('stream', (stream, headers) => this.#connect(stream, headers));
    this.#session.on('error', error => (this.#reason = causeText(error)));
    const pulse = setInterval(() => this.#probe(), options.silenceMs ?? silenceMs);
    const stop = (): void => this.#end('the agent stops');
    signal.addEventListener('abort', stop, { once: true });
    this.ended = new Promise(resolve => {
      const end = (): void => {
        clearInterval(pulse);
        clearTimeout(this.#late);
        signal.removeEventListener('abort', stop);
        for (const connection of this.#connections) connection.destroy();
        socket.destroy();
        resolve(this.#reason);
      };
      this.#session.on('close', end);
      socket.on('error', error => (this.#reason = causeText(error)));
      socket.on('close', () => this.#session.destroy());
    });
    if (signal.aborted) stop();
  }

  #end(reason: string): void {
    this.#reason = reason;
    if (!this.#session.destroyed) this.#session.goaway();
    this.#session.destroy();
  }

  /**
   * Sends a ping after a silence, and ends the tunnel when nothing is received then: the control plane may have vanished. On a slow connection much may
   * be under way before the answer.
   */
  #probe(): void {
    if (this.#session.destroyed) return;
    const { bytesRead } = this.#session.socket;
    if (bytesRead === this.#receivedBefore) {
      this.#session.ping(() => undefined);
      this.#late ??= setTimeout(() => {
        this.#late = undefined;
        if (!this.#session.destroyed && this.#session.socket.bytesRead === bytesRead)
          this.#end('the control plane is silent');
      }, this.#options.pongMs ?? pongMs);
    }
    this.#receivedBefore = bytesRead;
  }

  #connect(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): void {
    stream.on('error', () => undefined); // `close` follows.
    if (headers[':method'] !== 'CONNECT') return stream.respond({ ':status': 405 }, { endStream: true });
    const { host, port } = this.#options.member;
    const connection = net.connect({ host, port, noDelay: true, keepAlive: true });
    this.#connections.add(connection);
    const timer = setTimeout(() => connection.destroy(new Error(`connect ${host}:${port}: timeout`)), connectMs);
    connection.on('connect', () => {
      clearTimeout(timer);
      if (stream.destroyed) return void connection.destroy();
      stream.respond({ ':status': 200 });
      stream.pipe(connection).pipe(stream);
    });
    connection.on('error', error => {
      if (!stream.headersSent && !stream.destroyed)
        stream.respond({ ':status': 502, [faultHeader]: faultText(error) }, { endStream: true });
      // `close` would end the stream first, as if the member had sent everything.
      else stream.destroy(error);
    });
    connection.on('close', () => {
      clearTimeout(timer);
      this.#connections.delete(connection);
    });
    stream.on('close', () => connection.destroy());
    return undefined;
  }
}

/** Returns the reason as the value of a header. */
const faultText = (error: Error): string =>
  `the agent cannot connect to the API server of the member: ${causeText(error)}`
    .replace(/[^\x20-\x7e]/g, ' ')
    .slice(0, maxFault);

/**
 * Connects the control plane with the API server of the member until one of the sides ends the tunnel. Resolves with the reason. Throws if it is
 * closed already.
 */
export const serveTunnelEnd = (options: TunnelEndOptions): Promise<string> => new TunnelEnd(options).ended;
