import type { Lane } from '../../lib/turn-queue.js';
import type { Event, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';
import { batchBytes, type FanOutGroup, type Subscriber } from './fan-out.js';

/** Events between two checks of the turn's time. */
const eventsBetweenChecks = 32;

/** Returns the first result of `take` when it was taken already, or throws its error. */
export type FirstStep = () => ReturnType<Events['take']>;

export interface PumpOptions {
  readonly first: FirstStep | undefined;
  readonly events: Events;
  /** Returns the frame of an event. */
  readonly encode: (event: Event) => Buffer | Promise<Buffer>;
  readonly stream: ResponseStream;
  /** The lane of the client's connection. */
  readonly lane: Lane;
  /** Called with the length of each frame and the number of clients it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** Joins a fan-out group once the watcher has taken all events so far. Only if `encode` returns no promise. */
  readonly join?: ((subscriber: Subscriber) => FanOutGroup | undefined) | undefined;
}

/**
 * Writes events as they come, until they end (as they do when the client is gone). Rejects with the error that they end with, once all events
 * before it are written. Nothing is awaited while the client keeps up: an event needs no promise between the write that caused it and the
 * sockets. No event is taken while the client is behind, so nothing accumulates here: the store ends the watch of a client that is too far
 * behind. Events of one turn of the event loop are written at its end, after the answers to the writers, and in later turns when they take too long for one.
 */
export function pump({ first, events, encode, stream, lane, sent, join }: PumpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail: (error: unknown) => void = reject;
    let firstStep = first;
    let isScheduled = false;
    /** True while it waits for the client, or for a frame. */
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
      detached(behind) {
        group = undefined;
        if (behind) wait(stream.drained());
        else schedule();
      },
    };

    function add(frame: Buffer): void {
      // Mostly there is one frame, for which an array literal takes the least memory.
      if (frames === undefined) frames = [frame];
      else frames.push(frame);
      bytes += frame.length;
      sent(frame.length, 1);
    }

    /** Writes the frames. Returns false when the client is behind. */
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
        schedule();
      }, fail);
    }

    function take(): ReturnType<Events['take']> {
      if (firstStep === undefined) return events.take();
      const step = firstStep;
      firstStep = undefined;
      return step();
    }

    // hot: once per event and watcher.
    function deliver(): void {
      let untilCheck = eventsBetweenChecks;
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
        if (--untilCheck > 0) continue;
        untilCheck = eventsBetweenChecks;
        if (lane.turns.isOver) return flush() ? schedule() : wait(stream.drained());
      }
      flush();
      resolve();
    }

    function run(): void {
      isScheduled = false;
      if (waiting) return;
      group?.leave(subscriber);
      group = undefined;
      try {
        deliver();
      } catch (error) {
        flush();
        fail(error);
      }
    }

    function schedule(): void {
      if (isScheduled || waiting) return;
      isScheduled = true;
      lane.defer(run);
    }

    events.onReady(schedule);
    run();
  });
}
