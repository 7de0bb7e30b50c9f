/** A server of HTTP/2 without TLS that answers calls with any bytes, and never ends a connection by itself. */
import { once } from 'node:events';
import net from 'node:net';
import type { Test } from 'tap';
import { type Answer, serveCalls } from './serve-calls.js';

/** The connections of a server. */
class Sockets {
  /** The number of connections so far. */
  opened = 0;
  readonly #open = new Set<net.Socket>();

  /** The number of connections that are not closed. */
  get open(): number {
    return this.#open.size;
  }

  add(socket: net.Socket): void {
    this.opened++;
    this.#open.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#open.delete(socket));
  }

  writeAll(bytes: Buffer): void {
    for (const socket of this.#open) socket.write(bytes);
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/** Writes the same frames until the socket is closed. */
export function floodSocket(socket: net.Socket, frames: Buffer): void {
  const piece = Buffer.concat(Array.from({ length: Math.ceil(16_384 / frames.length) }, () => frames));
  const more = (): void => {
    if (socket.destroyed) return;
    if (socket.write(piece)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}

interface MisusedServer {
  readonly port: number;
  readonly sockets: Sockets;
  close(): Promise<void>;
}

/** Starts the server. It acknowledges settings, and leaves the rest to `answer`. */
export async function misusedServer(t: Test, answer: Answer): Promise<MisusedServer> {
  const sockets = new Sockets();
  const server = net.createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket);
    serveCalls(socket, answer);
  });
  const close = async (): Promise<void> => {
    sockets.destroyAll();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  t.teardown(close);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as net.AddressInfo).port, sockets, close };
}
