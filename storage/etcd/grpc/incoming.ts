/** gRPC messages in the data of a stream: each is a byte for compression, four bytes of length, and the message. */

export const prefixBytes = 5;

/** Bytes. The limit of V8's buffers, far above any value in etcd. */
const maxBytes = 2 ** 31 - 1;

function checked(compressed: number, length: number): number {
  if (compressed !== 0) throw new Error('a message is compressed');
  if (length > maxBytes) throw new Error(`a message of ${length} bytes`);
  return length;
}

/** Assembles messages from the data of one stream. */
export class Incoming {
  /** The prefix of a message whose first bytes came alone. */
  #prefix: Buffer | undefined;
  #prefixed = 0;
  #message: Buffer | undefined;
  #filled = 0;

  /** True within a message. */
  get isBroken(): boolean {
    return this.#prefixed > 0;
  }

  /** Calls `take` for each complete message, which may be a view of `data`. Throws when a message cannot be read. */
  push(data: Buffer, take: (message: Buffer) => void): void {
    let at = 0;
    while (at < data.length) {
      if (this.#prefixed === 0 && data.length - at >= prefixBytes) {
        const length = checked(data[at] ?? 0, data.readUInt32BE(at + 1));
        const end = at + prefixBytes + length;
        if (end <= data.length) {
          take(data.subarray(at + prefixBytes, end));
          at = end;
          continue;
        }
      }
      at += this.#fill(data.subarray(at), take);
    }
  }

  #fill(data: Buffer, take: (message: Buffer) => void): number {
    let used = 0;
    if (this.#message === undefined) {
      const prefix = (this.#prefix ??= Buffer.alloc(prefixBytes));
      used = data.copy(prefix, this.#prefixed);
      this.#prefixed += used;
      if (this.#prefixed < prefixBytes) return used;
      this.#message = Buffer.allocUnsafe(checked(prefix[0] ?? 0, prefix.readUInt32BE(1)));
      this.#filled = 0;
    }
    const copied = data.copy(this.#message, this.#filled, used);
    this.#filled += copied;
    if (this.#filled === this.#message.length) {
      const whole = this.#message;
      this.#message = undefined;
      this.#prefixed = 0;
      take(whole);
    }
    return used + copied;
  }
}
