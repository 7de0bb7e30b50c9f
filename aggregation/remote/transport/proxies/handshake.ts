import type { Socket } from 'node:net';
import { TransportError } from '../transport-error.js';

/** Returns the error of an answer of a proxy by which no connection can be made. */
export const proxyFault = (fault: string, options?: ErrorOptions): TransportError =>
  new TransportError('PROXY_REFUSED', fault, options);

/**
 * Reads what a proxy answers before the connection through it is open. Nothing may follow the last answer: on the connections that it is used for, the
 * client speaks first. At most one answer and one read of the socket are in memory.
 */
export class Handshake {
  readonly #socket: Socket;
  /** What has arrived and was not taken. */
  #received: Buffer = Buffer.alloc(0);
  #fault: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('readable', this.#onReadable);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  readonly #onReadable = (): void => this.#wake();

  readonly #onError = (error: Error): void => {
    this.#fault ??= error;
    this.#wake();
  };

  readonly #onClose = (): void => this.#onError(proxyFault('the proxy closed the connection'));

  send(bytes: Buffer | string): void {
    if (this.#fault === undefined) this.#socket.write(bytes);
  }

  /** Returns the next `count` bytes. */
  async bytes(count: number): Promise<Buffer> {
    while (this.#received.length < count) await this.#more();
    return this.#take(count);
  }

  /** Returns the bytes up to and including `end`. Rejects when they are more than `maxBytes`. */
  async upTo(end: string, maxBytes: number): Promise<Buffer> {
    for (;;) {
      const at = this.#received.indexOf(end);
      if (at >= 0 && at + end.length <= maxBytes) return this.#take(at + end.length);
      if (this.#received.length >= maxBytes)
        throw proxyFault(`the answer of the proxy is longer than ${maxBytes} bytes`);
      await this.#more();
    }
  }

  /** Ends the reading, and leaves the socket to others. */
  release(): void {
    if (this.#received.length > 0) throw proxyFault('the proxy sent more than its answer');
    this.#socket.off('readable', this.#onReadable);
    this.#socket.off('error', this.#onError);
    this.#socket.off('close', this.#onClose);
    if (this.#fault !== undefined) throw this.#fault;
  }

  #take(count: number): Buffer {
    const taken = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return taken;
  }

  /** Waits until more bytes have arrived. Rejects with the error of the socket. */
  async #more(): Promise<void> {
    for (;;) {
      const chunk = this.#socket.read() as Buffer | null;
      if (chunk !== null) {
        this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
        return;
      }
      if (this.#fault === undefined && this.#socket.readableEnded) this.#onClose();
      if (this.#fault !== undefined) throw this.#fault;
      await new Promise<void>(resolve => (this.#wake = resolve));
    }
  }
}
