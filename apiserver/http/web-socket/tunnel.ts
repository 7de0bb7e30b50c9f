import { Duplex } from 'node:stream';
import { type WebSocket, WebSocketPauses } from './web-socket.js';

/** Bytes that are held for a slow reader before the WebSocket is not read any more. */
const highWaterMark = 64 * 1024;

/** A connection in a WebSocket: its bytes are those of all binary messages. as client-go/tools/portforward/tunneling_connection.go */
export class WebSocketTunnel extends Duplex {
  readonly #socket: WebSocket;
  readonly #pauses: WebSocketPauses;

  /** `probeMs`: as for `WebSocketPauses`. */
  constructor(socket: WebSocket, probeMs?: number) {
    super({ highWaterMark, allowHalfOpen: false });
    this.#socket = socket;
    this.#pauses = new WebSocketPauses(socket, probeMs);
    this.on('error', () => undefined);
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) this.destroy(new Error('a message in a tunnel is text'));
      else if (!this.push(data)) this.#pauses.pause();
    });
    socket.on('close', () => {
      this.push(null);
      this.destroy();
    });
  }

  override _read(): void {
    this.#pauses.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return done(new Error('the WebSocket is closed'));
    this.#socket.send(chunk, { binary: true }, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.close(1000);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.terminate();
    done(error);
  }
}
