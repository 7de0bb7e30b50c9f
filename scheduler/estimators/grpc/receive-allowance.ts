/** Bytes that an answer may take, with its headers and trailers. An answer is one number, an error has a text. */
const bytesPerCall = 64 * 1024;
/** Bytes that a server may send without a call: settings, pings, and answers to calls that were cancelled. They come back with calls, and with time. */
const spareBytes = 64 * 1024;
const spareBytesPerSecond = 1024;

/**
 * Limits the bytes that an estimator may send over one connection. Its calls need few, and frames that belong to no call cost CPU time as well; HTTP/2
 * limits only some of them.
 */
export class ReceiveAllowance {
  /** Monotonic milliseconds. */
  readonly #now: () => number;
  #calls = 0;
  #left = spareBytes;
  #refilledAt: number;
  #isExceeded = false;

  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#refilledAt = now();
  }

  /** Whether the server has sent more than it may. This stays so. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  callBegins(): void {
    this.#calls++;
    this.#left += bytesPerCall;
  }

  callEnds(): void {
    this.#calls--;
    this.#left = Math.min(this.#left, this.#most);
  }

  /** Subtracts received bytes. Returns whether the server may send on. */
  take(bytes: number): boolean {
    const now = this.#now();
    const refill = ((now - this.#refilledAt) / 1000) * spareBytesPerSecond;
    this.#refilledAt = now;
    this.#left = Math.min(this.#left + refill, this.#most) - bytes;
    if (this.#left < 0) this.#isExceeded = true;
    return !this.#isExceeded;
  }

  get #most(): number {
    return spareBytes + this.#calls * bytesPerCall;
  }
}
