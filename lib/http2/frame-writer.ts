import type { Duplex } from 'node:stream';
import { BufferPool } from '../buffer-pool.js';
import { headBytes, typeAndFlags, writeHead } from './frames.js';

/** Milliseconds that a delayed frame may wait: far below the timeout for silence. */
const delayMs = 10;
/** Bytes; a few TLS records. */
const slabBytes = 64 * 1024;
/** Slabs of all connections that none of them writes to. */
const slabs = new BufferPool<Buffer>(() => Buffer.allocUnsafeSlow(slabBytes), { max: 32 });
/** Bytes. Less is copied when the socket still has data to send, so that it does not keep an almost empty slab for long. */
const minSlabUse = slabBytes / 4;

/**
 * hot: collects the frames of one turn of the event loop into one write to the socket. They are copied once, into slabs that are reused by later
 * writes and other connections; TLS would join them with a copy otherwise.
 *
 * Bytes are copied before `write` returns, so the caller may change them then. A slab belongs to this writer until it is passed to the socket, and to
 * the socket until the callback of that write: nothing is sent of it afterwards, even if the socket was destroyed. Only then it is released, once.
 */
export class FrameWriter {
  readonly #socket: Duplex;
  readonly #drained: () => void;
  #slab: Buffer | undefined;
  #used = 0;
  #isScheduled = false;
  #inSocket = 0;
  /** Bytes that the socket has sent so far. */
  left = 0;
  /** Frames that do not need a write of their own. */
  #delayed: Uint8Array[] = [];
  #isTimerSet = false;

  /** `drained` is called when the socket has sent some bytes. */
  constructor(socket: Duplex, drained: () => void = () => undefined) {
    this.#socket = socket;
    this.#drained = drained;
  }

  /** Bytes that were written and not sent yet. */
  get waiting(): number {
    return this.#inSocket + this.#used;
  }

  /** Writes bytes at the end of the turn, copied now. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const slab = this.#reserve(1);
      const size = Math.min(bytes.length - at, slabBytes - this.#used);
      slab.set(size === bytes.length ? bytes : bytes.subarray(at, at + size), this.#used);
      this.#used += size;
      at += size;
    }
  }

  /** Writes the head of a frame; its payload has to follow. */
  writeHead(length: number, type: number, flag: number, stream: number): void {
    const slab = this.#reserve(headBytes);
    writeHead(slab, this.#used, length, typeAndFlags(type, flag), stream);
    this.#used += headBytes;
  }

  /** Writes bytes with the next frames, or after a moment. They are copied later, so the caller does not change them. */
  writeSoon(bytes: Uint8Array): void {
    this.#delayed.push(bytes);
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    const flushDelayed = (): void => {
      this.#isTimerSet = false;
      this.#writeDelayed();
    };
    setTimeout(flushDelayed, delayMs).unref();
  }

  /** Writes to the socket now, not at the end of the turn. */
  flush(): void {
    this.#writeDelayed();
    this.#push();
  }

  #writeDelayed(): void {
    const soon = this.#delayed;
    if (soon.length === 0) return;
    this.#delayed = [];
    for (const bytes of soon) this.write(bytes);
  }

  readonly #turnEnds = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  /** Returns a slab with room for so many bytes. */
  #reserve(bytes: number): Buffer {
    if (this.#slab !== undefined && slabBytes - this.#used < bytes) this.#push();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#turnEnds);
    }
    return (this.#slab ??= slabs.take());
  }

  #push(): void {
    const slab = this.#slab;
    const size = this.#used;
    if (slab === undefined) return;
    this.#slab = undefined;
    this.#used = 0;
    if (this.#socket.destroyed || this.#socket.writableEnded) return slabs.release(slab);
    this.#inSocket += size;
    const left = (): void => {
      this.#inSocket -= size;
      this.left += size;
      this.#drained();
    };
    const bytes = slab.subarray(0, size);
    if (size < minSlabUse && this.#socket.writableLength > 0) {
      this.#socket.write(Buffer.from(bytes), left);
      slabs.release(slab);
    } else {
      this.#socket.write(bytes, () => {
        slabs.release(slab);
        left();
      });
    }
  }
}
