import type { Lane } from '../../lib/turn-queue.js';
import type { Event, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';
import { batchBytes, type FanOutGroup, type Subscriber } from './fan-out.js';

/** Events between two looks at the clock. */
const eventsBetweenLooks = 32;

/** The first step of a watch when it was taken already: gives it, or throws it. */
export type FirstStep = () => ReturnType<Events['take']>;

export interface PumpOptions {
  readonly first: FirstStep | undefined;
  readonly events: Events;
  /** How an event becomes a frame. */
  readonly encode: (event: Event) => Buffer | Promise<Buffer>;
  readonly stream: ResponseStream;
  /** The lane of the client's connection. */
  readonly lane: Lane;
  /** Hears of the length of each frame, and how many it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** Where it may travel with others once it has taken all there is. Only if `encode` needs no promise. */
  readonly join?: ((subscriber: Subscriber) => FanOutGroup | undefined) | undefined;
}

/**
 * Writes events as they come, until they end (as they do when the client is gone). Rejects with the error that they end with, once all events before it
 * are written. Nothing is awaited while the client keeps up: an event goes from the write that made it to the sockets without a promise. While the
 * client is behind no event is taken: a slow client falls behind and the store's cursor ends its watch, so nothing accumulates here. Events of one turn of
 * the event loop are written at its end, after the writers have their answers, and in later turns when they take too long for one.
 */
export function pump({ first, events, encode, stream, lane, sent, join }: PumpOptions): Promise<void> {
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
      lane,
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
        note();
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
      let looks = eventsBetweenLooks;
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
        if (--looks > 0) continue;
        looks = eventsBetweenLooks;
        if (lane.turns.isOver) return flush() ? note() : wait(stream.drained());
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
      lane.defer(run);
    }

    events.onReady(note);
    run();
  });
}
