import type { Duplex } from 'node:stream';
import { headBytes, writeHead } from './frames.js';

/** So long the other side may wait for what it does not need at once: far below what counts as silence. */
const soonMs = 10;
/** A few records of TLS. */
const slabBytes = 64 * 1024;
/** Slabs that nobody uses, for all connections. */
const spare: Buffer[] = [];
const maxSpare = 32;
/** A socket that is not through with what it has may keep what it gets now for long: not in a slab that is almost empty. */
const worthASlab = slabBytes / 4;

/**
 * hot: what is said in one turn of the event loop is one write to the socket. It is copied once, into slabs that go from write to write and
 * from connection to connection; TLS would copy it together otherwise.
 */
export class FrameWriter {
  readonly #socket: Duplex;
  readonly #drained: () => void;
  #slab: Buffer | undefined;
  #used = 0;
  #isNoted = false;
  #inSocket = 0;
  /** Bytes that have left so far. */
  left = 0;
  /** What need not be a write of its own. */
  #soon: Uint8Array[] = [];
  #isSoon = false;

  /** `drained`: some of what was said has left. */
  constructor(socket: Duplex, drained: () => void = () => undefined) {
    this.#socket = socket;
    this.#drained = drained;
  }

  /** Bytes that were said, and have not left. */
  get waiting(): number {
    return this.#inSocket + this.#used;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const slab = this.#room(1);
      const size = Math.min(bytes.length - at, slabBytes - this.#used);
      slab.set(size === bytes.length ? bytes : bytes.subarray(at, at + size), this.#used);
      this.#used += size;
      at += size;
    }
  }

  /** The head of a frame; its payload has to follow. */
  writeHead(length: number, type: number, flag: number, stream: number): void {
    const slab = this.#room(headBytes);
    writeHead(slab, this.#used, length, type, flag, stream);
    this.#used += headBytes;
  }

  /** With what is said next, or after a moment. */
  writeSoon(bytes: Uint8Array): void {
    this.#soon.push(bytes);
    if (this.#isSoon) return;
    this.#isSoon = true;
    const late = (): void => {
      this.#isSoon = false;
      this.#speakUp();
    };
    setTimeout(late, soonMs).unref();
  }

  /** Now, not at the end of the turn. */
  flush(): void {
    this.#speakUp();
    this.#push();
  }

  #speakUp(): void {
    const soon = this.#soon;
    if (soon.length === 0) return;
    this.#soon = [];
    for (const bytes of soon) this.write(bytes);
  }

  readonly #turnEnds = (): void => {
    this.#isNoted = false;
    this.flush();
  };

  /** A slab with room for so many bytes. */
  #room(bytes: number): Buffer {
    if (this.#slab !== undefined && slabBytes - this.#used < bytes) this.#push();
    if (!this.#isNoted) {
      this.#isNoted = true;
      setImmediate(this.#turnEnds);
    }
    return (this.#slab ??= spare.pop() ?? Buffer.allocUnsafeSlow(slabBytes));
  }

  #push(): void {
    const slab = this.#slab;
    const size = this.#used;
    if (slab === undefined) return;
    this.#slab = undefined;
    this.#used = 0;
    if (this.#socket.destroyed || this.#socket.writableEnded) return giveBack(slab);
    this.#inSocket += size;
    const left = (): void => {
      this.#inSocket -= size;
      this.left += size;
      this.#drained();
    };
    const bytes = slab.subarray(0, size);
    if (size < worthASlab && this.#socket.writableLength > 0) {
      this.#socket.write(Buffer.from(bytes), left);
      giveBack(slab);
    } else {
      this.#socket.write(bytes, () => {
        giveBack(slab);
        left();
      });
    }
  }
}

function giveBack(slab: Buffer): void {
  if (spare.length < maxSpare) spare.push(slab);
}
