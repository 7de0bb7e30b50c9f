/** Messages over a stream of bytes: four bytes of length, then the message as V8 clones it. */
import type { Duplex } from 'node:stream';
import v8 from 'node:v8';

/** Bytes. Far above what one message holds: a value is at most a few MiB, and ranges come in parts. */
const maxFrame = 64 << 20;
const head = 4;

export interface Frames<Out> {
  /** Sends a message; those of one turn of the event loop leave together. */
  send(message: Out): void;
  /** Resolves when little waits to be sent; at once if that is already so. */
  drained(): Promise<void>;
}

/** Frames messages on a stream. `receive` gets every message, in order. A stream that carries anything else is destroyed. */
export function createFrames<Out, In>(stream: Duplex, receive: (message: In) => void): Frames<Out> {
  let parts: Buffer[] = [];
  let buffered = 0;
  let corked = false;

  /** Removes and returns the first `count` of the buffered bytes. */
  function take(count: number): Buffer {
    const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, buffered);
    buffered -= count;
    parts = buffered > 0 ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }

  let wanted = 0;
  stream.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    buffered += chunk.length;
    for (;;) {
      if (wanted === 0) {
        if (buffered < head) return;
        wanted = take(head).readUInt32BE(0);
        if (wanted > maxFrame) return void stream.destroy(new Error(`a frame of ${wanted} bytes`));
      }
      if (buffered < wanted) return;
      const frame = take(wanted);
      wanted = 0;
      receive(v8.deserialize(frame) as In);
    }
  });

  let draining: Promise<void> | undefined;
  /** Waits for the stream; shared by all callers, since each wait adds listeners to it. */
  const drain = (): Promise<void> =>
    new Promise(resolve => {
      const finish = (): void => {
        stream.off('drain', finish).off('close', finish);
        draining = undefined;
        resolve();
      };
      stream.on('drain', finish).on('close', finish);
    });

  function uncork(): void {
    corked = false;
    stream.uncork();
  }

  return {
    send(message) {
      if (!stream.writable) return;
      if (!corked) {
        corked = true;
        stream.cork();
        process.nextTick(uncork);
      }
      const body = v8.serialize(message);
      const length = Buffer.allocUnsafe(head);
      length.writeUInt32BE(body.length, 0);
      stream.write(length);
      stream.write(body);
    },
    async drained() {
      while (stream.writableNeedDrain && !stream.destroyed) await (draining ??= drain());
    },
  };
}
