import { once, setMaxListeners } from 'node:events';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { RequestFilter } from '../apiserver/http/filters.js';
import type { RunningServer } from '../server/start-server.js';
import type { Reachability } from './reachability.js';

/** Connections that a silent member keeps open; further ones are closed at once. */
const maxSilentConnections = 1000;

/** Accepts connections and never answers. */
class SilentPort {
  readonly #sockets = new Set<net.Socket>();
  readonly #server = net.createServer({ pauseOnConnect: true }, socket => {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  });

  async open(host: string, port: number): Promise<void> {
    this.#server.maxConnections = maxSilentConnections;
    this.#server.listen({ host, port });
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Creates a controller whose signal has a listener for each waiting request. */
function createWaiting(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** The network between a simulated member and its clients, which can be cut, silenced and slowed down. */
export class MemberNetwork {
  #server: RunningServer | undefined;
  #silence: SilentPort | undefined;
  #delayMs = 0;
  /** Aborted when the delay changes, so that waiting requests are served at once. */
  #waiting = createWaiting();

  /** Delays requests while the member is slow. */
  readonly filter: RequestFilter = () => (this.#delayMs === 0 ? undefined : this.#delay());

  /** Sets the server of the member. Called once. */
  serve(server: RunningServer): void {
    this.#server = server;
  }

  /** Sets the reachability. Rejects with the system's error when another process has taken the member's port; the member is then stopped. */
  async setReachability(reachability: Reachability): Promise<void> {
    const server = this.#server;
    if (!server) throw new Error('the member has not started');
    this.#setDelay(reachability.state === 'slow' ? reachability.delayMs : 0);
    this.#endSilence();
    if (reachability.state !== 'stopped') return server.resume();
    server.pause();
    if (!reachability.silent) return;
    const silence = new SilentPort();
    await silence.open(server.host, server.port);
    this.#silence = silence;
  }

  /** Ends silence and delays, before the server stops. */
  close(): void {
    this.#setDelay(0);
    this.#endSilence();
  }

  #endSilence(): void {
    this.#silence?.close();
    this.#silence = undefined;
  }

  #setDelay(milliseconds: number): void {
    this.#delayMs = milliseconds;
    this.#waiting.abort();
    this.#waiting = createWaiting();
  }

  async #delay(): Promise<void> {
    const { signal } = this.#waiting;
    await setTimeout(this.#delayMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
