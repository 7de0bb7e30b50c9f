/** Messages over a stream of bytes: four bytes of length, then the message as V8 clones it. */
import type { Duplex } from 'node:stream';
import v8 from 'node:v8';

/** Bytes. Far above what one message holds: a value is at most a few MiB, and ranges come in parts. */
const maxFrame = 64 << 20;
const head = 4;

/** Frames messages on a stream. A stream that carries anything else is destroyed. */
export class Frames<Out, In> {
  readonly #stream: Duplex;
  readonly #receive: (message: In) => void;
  /** Received bytes that are not a whole frame yet, and their number. */
  #parts: Buffer[] = [];
  #buffered = 0;
  /** Bytes of the frame that is being received; 0 until its length has arrived. */
  #wanted = 0;
  /** True until the end of the turn of the event loop in which something was sent. */
  #isCorked = false;
  /** The wait for the stream, shared by all callers, since each wait adds listeners to it. */
  #draining: Promise<void> | undefined;

  /** `receive` gets every message, in order. */
  constructor(stream: Duplex, receive: (message: In) => void) {
    this.#stream = stream;
    this.#receive = receive;
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** Sends a message; those of one turn of the event loop leave together. */
  send(message: Out): void {
    const stream = this.#stream;
    if (!stream.writable) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      stream.cork();
      process.nextTick(this.#uncork);
    }
    const body = v8.serialize(message);
    const length = Buffer.allocUnsafe(head);
    length.writeUInt32BE(body.length, 0);
    stream.write(length);
    stream.write(body);
  }

  /** Resolves when little waits to be sent; at once if that is already so. */
  async drained(): Promise<void> {
    while (this.#stream.writableNeedDrain && !this.#stream.destroyed) await (this.#draining ??= this.#drain());
  }

  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#stream.uncork();
  };

  #drain(): Promise<void> {
    const stream = this.#stream;
    return new Promise(resolve => {
      const finish = (): void => {
        stream.off('drain', finish).off('close', finish);
        this.#draining = undefined;
        resolve();
      };
      stream.on('drain', finish).on('close', finish);
    });
  }

  #read(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#buffered += chunk.length;
    for (;;) {
      if (this.#wanted === 0) {
        if (this.#buffered < head) return;
        this.#wanted = this.#take(head).readUInt32BE(0);
        if (this.#wanted > maxFrame) return void this.#stream.destroy(new Error(`a frame of ${this.#wanted} bytes`));
      }
      if (this.#buffered < this.#wanted) return;
      const frame = this.#take(this.#wanted);
      this.#wanted = 0;
      this.#receive(v8.deserialize(frame) as In);
    }
  }

  /** Removes and returns the first `count` of the buffered bytes. */
  #take(count: number): Buffer {
    const [first] = this.#parts;
    const all = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts, this.#buffered);
    this.#buffered -= count;
    this.#parts = this.#buffered > 0 ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }
}
