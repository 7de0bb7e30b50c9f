/** Several streams in one WebSocket: the first byte of each message is the number of its channel. as k8s.io/streaming/pkg/httpstream/wsstream */
import { Readable, Writable } from 'node:stream';
import type { Upgrade } from '../../interface.js';
import { paced } from './paced-upgrade.js';
import { acceptWebSocket, type WebSocket, WebSocketPauses } from './web-socket.js';

/** The channels of exec and attach. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** The protocol whose clients can close a channel. */
export const closingProtocol = 'v5.channel.k8s.io';
export const statusProtocol = 'v4.channel.k8s.io';

/** In `closingProtocol`, a message of this channel names a channel that the client closes. */
const closeChannel = 255;
/** Clients take a close without a code as a failure. */
const normalClosure = 1000;
/** Bytes that a channel holds for a slow reader before the WebSocket is not read any more. */
const highWaterMark = 64 * 1024;

/** The channels of one WebSocket. A channel whose reader is behind stops the reading of all. */
export class WebSocketChannels {
  /** Resolves when the WebSocket is closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #pauses: WebSocketPauses;
  readonly #readers = new Map<number, Readable>();
  readonly #behind = new Set<number>();

  /** `probeMs`: as for `WebSocketPauses`. */
  constructor(socket: WebSocket, protocol: string, probeMs?: number) {
    this.#socket = socket;
    this.#pauses = new WebSocketPauses(socket, probeMs);
    this.closed = new Promise(resolve => {
      socket.on('close', () => {
        for (const reader of this.#readers.values()) reader.destroy();
        resolve();
      });
    });
    socket.on('message', (data: Buffer) => this.#take(data, protocol === closingProtocol));
  }

  static async accept(upgrade: Upgrade, protocol: string): Promise<WebSocketChannels> {
    return new WebSocketChannels(await acceptWebSocket(paced(upgrade), protocol), protocol);
  }

  /** Returns the data of the client on a channel. Without a reader it is dropped. */
  reader(channel: number): Readable {
    const reader = new Readable({
      highWaterMark,
      read: () => {
        if (this.#behind.delete(channel) && this.#behind.size === 0) this.#pauses.resume();
      },
      destroy: (error, done) => {
        this.#readers.delete(channel);
        if (this.#behind.delete(channel) && this.#behind.size === 0) this.#pauses.resume();
        done(error);
      },
    });
    reader.on('error', () => undefined);
    this.#readers.set(channel, reader);
    return reader;
  }

  /** Returns a stream whose chunks are sent on a channel. A chunk is taken when the socket has sent it. */
  writer(channel: number): Writable {
    const writer = new Writable({
      highWaterMark,
      write: (chunk: Buffer, _encoding, done) => this.send(channel, chunk, done),
    });
    writer.on('error', () => undefined);
    return writer;
  }

  send(channel: number, chunk: Buffer, done: (error?: Error) => void = () => undefined): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return done(new Error('the WebSocket is closed'));
    this.#socket.send(Buffer.concat([Buffer.of(channel), chunk]), { binary: true }, done);
  }

  /** Closes the WebSocket after everything that was sent. */
  close(): void {
    this.#pauses.resume();
    this.#socket.close(normalClosure);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #take(data: Buffer, canClose: boolean): void {
    const channel = data[0];
    if (channel === undefined) return;
    if (canClose && channel === closeChannel) {
      const closed = this.#readers.get(data[1] ?? closeChannel);
      this.#readers.delete(data[1] ?? closeChannel);
      closed?.push(null);
      return;
    }
    const reader = this.#readers.get(channel);
    if (!reader || data.length === 1 || reader.push(data.subarray(1))) return;
    this.#behind.add(channel);
    this.#pauses.pause();
  }
}
