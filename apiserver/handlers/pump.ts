import type { Lane } from '../../lib/turn-queue.js';
import type { ObjectEvent, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';
import { batchBytes, type FanOutGroup, type Subscriber } from './fan-out.js';
import type { Maybe } from '../../lib/maybe.js';

/** Events between two checks of the turn's time. */
const eventsBetweenChecks = 32;

/** Returns the first result of `take` when it was taken already, or throws its error. */
export type FirstStep = () => ReturnType<Events['take']>;

export interface PumpOptions {
  readonly first: FirstStep | undefined;
  readonly events: Events;
  /** Returns the frame of an event. */
  readonly encode: (event: ObjectEvent) => Maybe<Buffer>;
  readonly stream: ResponseStream;
  /** The lane of the client's connection. */
  readonly lane: Lane;
  /** Called with the length of each frame and the number of clients it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** Joins a fan-out group once the watcher has taken all events so far. Only if `encode` returns no promise. */
  readonly join?: ((subscriber: Subscriber) => FanOutGroup | undefined) | undefined;
}

/**
 * Writes events as they come, until they end (as they do when the client is gone). Rejects with the error that they end with, once all events before
 * it are written. Nothing is awaited while the client keeps up: an event needs no promise between the write that caused it and the sockets. No event
 * is taken while the client is behind, so nothing accumulates here: the store ends the watch of a client that is too far behind. Events of one turn
 * of the event loop are written at its end, after the answers to the writers, and in later turns when they take too long for one.
 */
export function pump(options: PumpOptions): Promise<void> {
  return new Promise((resolve, reject) => new Pump(options, resolve, reject).start());
}

/** One watcher, alone or in a fan-out group. */
class Pump implements Omit<Subscriber, 'encode'> {
  readonly events: Events;
  readonly stream: ResponseStream;
  readonly lane: Lane;
  readonly encode: PumpOptions['encode'];
  readonly sent: (bytes: number, times: number) => void;
  readonly #join: PumpOptions['join'];
  readonly #resolve: () => void;
  readonly #fail: (error: unknown) => void;
  #firstStep: FirstStep | undefined;
  #isScheduled = false;
  /** True while it waits for the client, or for a frame. */
  #isWaiting = false;
  #frames: Buffer[] | undefined;
  /** The length of the frames. */
  #bytes = 0;
  #group: FanOutGroup | undefined;

  constructor(options: PumpOptions, resolve: () => void, fail: (error: unknown) => void) {
    const { first, events, encode, stream, lane, sent, join } = options;
    this.events = events;
    this.stream = stream;
    this.lane = lane;
    this.encode = encode;
    this.sent = sent;
    this.#join = join;
    this.#resolve = resolve;
    this.#fail = fail;
    this.#firstStep = first;
  }

  start(): void {
    this.events.onReady(this.#schedule);
    this.#run();
  }

  detached(behind: boolean): void {
    this.#group = undefined;
    if (behind) this.#wait(this.stream.drained());
    else this.#schedule();
  }

  readonly #schedule = (): void => {
    if (this.#isScheduled || this.#isWaiting) return;
    this.#isScheduled = true;
    this.lane.defer(this.#run);
  };

  readonly #run = (): void => {
    this.#isScheduled = false;
    if (this.#isWaiting) return;
    this.#group?.leave(this);
    this.#group = undefined;
    try {
      this.#deliver();
    } catch (error) {
      this.#flush();
      this.#fail(error);
    }
  };

  // hot: once per event and watcher.
  #deliver(): void {
    const { lane, stream } = this;
    let untilCheck = eventsBetweenChecks;
    for (let next = this.#take(); next?.done !== true; next = this.#take()) {
      if (next === undefined) {
        if (!this.#flush()) return this.#wait(stream.drained());
        // The frames of a watcher that may join are no promises.
        this.#group = this.#join?.(this as Subscriber);
        return;
      }
      const frame = this.encode(next.value);
      if (frame instanceof Promise)
        return this.#wait(Promise.all([frame.then(this.#add), this.#flush() || stream.drained()]));
      this.#add(frame);
      if (this.#bytes >= batchBytes && !this.#flush()) return this.#wait(stream.drained());
      if (--untilCheck > 0) continue;
      untilCheck = eventsBetweenChecks;
      if (lane.turns.isOver) return this.#flush() ? this.#schedule() : this.#wait(stream.drained());
    }
    this.#flush();
    this.#resolve();
  }

  #take(): ReturnType<Events['take']> {
    if (this.#firstStep === undefined) return this.events.take();
    const step = this.#firstStep;
    this.#firstStep = undefined;
    return step();
  }

  readonly #add = (frame: Buffer): void => {
    // Mostly there is one frame, for which an array literal takes the least memory.
    if (this.#frames === undefined) this.#frames = [frame];
    else this.#frames.push(frame);
    this.#bytes += frame.length;
    this.sent(frame.length, 1);
  };

  /** Writes the frames. Returns false when the client is behind. */
  #flush(): boolean {
    if (this.#frames === undefined) return true;
    const written = this.#frames;
    this.#frames = undefined;
    this.#bytes = 0;
    return this.stream.writeAll(written);
  }

  #wait(until: Promise<unknown>): void {
    this.#isWaiting = true;
    until.then(() => {
      this.#isWaiting = false;
      this.#schedule();
    }, this.#fail);
  }
}
