import type { Event, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';
import type { FanOutGroup, Subscriber } from './fan-out.js';
import { atEndOfTurn, batchBytes } from './end-of-turn.js';

/** The first step of a watch when it was taken already: gives it, or throws it. */
export type FirstStep = () => ReturnType<Events['take']>;

export interface PumpOptions {
  readonly first: FirstStep | undefined;
  readonly events: Events;
  /** How an event becomes a frame. */
  readonly encode: (event: Event) => Buffer | Promise<Buffer>;
  readonly stream: ResponseStream;
  /** Hears of the length of each frame, and how many it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** Where it may travel with others once it has taken all there is. Only if `encode` needs no promise. */
  readonly join?: ((subscriber: Subscriber) => FanOutGroup | undefined) | undefined;
}

/**
 * Writes events as they come, until they end (as they do when the client is gone); rejects with what they end with, when all before is written. Nothing is waited for as
 * long as the client keeps up: an event goes from the write that made it to the sockets without a promise. When the client is behind nothing is taken
 * until he has caught up: who is slow falls behind and is ended by the store's cursor, nothing piles up here.
 */
export function pump({ first, events, encode, stream, sent, join }: PumpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail: (error: unknown) => void = reject;
    let begun = first;
    let noted = false;
    /** Waiting for the client, or for a frame. */
    let waiting = false;
    let frames: Buffer[] | undefined;
    let bytes = 0;
    let group: FanOutGroup | undefined;

    const subscriber: Subscriber = {
      events,
      stream,
      encode: encode as Subscriber['encode'],
      sent,
      alone(behind) {
        group = undefined;
        if (behind) wait(stream.drained());
        else note();
      },
    };

    function add(frame: Buffer): void {
      // One, mostly: a literal takes no more room than that.
      if (frames === undefined) frames = [frame];
      else frames.push(frame);
      bytes += frame.length;
      sent(frame.length, 1);
    }

    /** False: the client is behind. */
    function flush(): boolean {
      if (frames === undefined) return true;
      const written = frames;
      frames = undefined;
      bytes = 0;
      return stream.writeAll(written);
    }

    function wait(until: Promise<unknown>): void {
      waiting = true;
      until.then(() => {
        waiting = false;
        run();
      }, fail);
    }

    function take(): ReturnType<Events['take']> {
      if (begun === undefined) return events.take();
      const step = begun;
      begun = undefined;
      return step();
    }

    // hot: once per event and watcher.
    function tell(): void {
      for (let next = take(); next?.done !== true; next = take()) {
        if (next === undefined) {
          if (!flush()) return wait(stream.drained());
          group = join?.(subscriber);
          return;
        }
        const frame = encode(next.value);
        if (frame instanceof Promise) return wait(Promise.all([frame.then(add), flush() || stream.drained()]));
        add(frame);
        if (bytes >= batchBytes && !flush()) return wait(stream.drained());
      }
      flush();
      resolve();
    }

    function run(): void {
      noted = false;
      if (waiting) return;
      group?.leave(subscriber);
      group = undefined;
      try {
        tell();
      } catch (error) {
        flush();
        fail(error);
      }
    }

    function note(): void {
      if (noted || waiting) return;
      noted = true;
      atEndOfTurn(run);
    }

    events.onReady(note);
    run();
  });
}
