import type { Lane } from '../../lib/turn-queue.js';
import type { ObjectEvent, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';

/** Bytes of frames that are joined for one write. */
export const batchBytes = 64 * 1024;
/** Bytes written between two checks of the turn's time. A write counts as at least `minWriteBytes`. */
const bytesBetweenChecks = 256 * 1024;
const minWriteBytes = 16 * 1024;

/** A watcher that has taken all events so far, and whose client keeps up. */
export interface Subscriber {
  readonly events: Events;
  readonly stream: ResponseStream;
  readonly lane: Lane;
  /** Returns the frame of an event, not a promise; the same frame for all subscribers of a group. */
  readonly encode: (event: ObjectEvent) => Buffer;
  /** Called with the length of each frame and the number of clients it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** Called when the group detaches the subscriber, which continues alone; `behind`: its client has to drain first. */
  readonly detached: (behind: boolean) => void;
}

/** Subscribers that get the same frames. */
export interface FanOutGroup {
  /** Returns the group; undefined when the subscriber cannot join and continues alone. */
  join(subscriber: Subscriber): FanOutGroup | undefined;
  leave(subscriber: Pick<Subscriber, 'stream'>): void;
}

/** Frames that were taken together. */
interface Batch {
  readonly frames: readonly Buffer[];
  readonly bytes: number;
  /** The position in the events after these frames. */
  readonly end: object | undefined;
}

/** One cursor whose frames are written to many clients. A batch for many clients is written in several turns of the event loop. */
class SharedCursor implements FanOutGroup {
  readonly #events: Events;
  readonly #lane: Lane;
  readonly #onClose: () => void;
  /** Subscribers by their streams: a delivery needs only the stream. */
  readonly #subscribers = new Map<ResponseStream, Subscriber>();
  #isQueued = false;
  #isClosed = false;
  /** The events have ended, or failed: each subscriber continues alone. */
  #isEnding = false;
  /** The position of all subscribers, except those that wait for the batch. */
  #reached: object | undefined;
  /** The streams that wait for the batch, and their position. */
  #waiting: Set<ResponseStream> | undefined;
  #reachedByWaiting: object | undefined;
  #batch: Batch | undefined;

  /** `onClose` is called when the last subscriber has left. */
  constructor(events: Events, lane: Lane, onClose: () => void) {
    this.#events = events;
    this.#lane = lane;
    this.#onClose = onClose;
    this.#reached = events.sharing()?.position();
    events.onReady(this.#queue);
  }

  join(subscriber: Subscriber): FanOutGroup | undefined {
    const sharing = subscriber.events.sharing();
    // The subscriber may already have seen the events that the group has yet to take.
    if (this.#isQueued && !this.#lane.turns.isOver) this.#run();
    if (this.#isClosed || !sharing || sharing.position() !== this.#reached) return undefined;
    sharing.suspend();
    this.#subscribers.set(subscriber.stream, subscriber);
    return this;
  }

  leave({ stream }: Pick<Subscriber, 'stream'>): void {
    this.#release(stream);
    if (this.#subscribers.size === 0) this.#close();
  }

  readonly #queue = (): void => {
    if (this.#isQueued || this.#isClosed) return;
    this.#isQueued = true;
    this.#lane.defer(this.#run);
  };

  /** hot: runs once per turn of the event loop that has events. */
  readonly #run = (): void => {
    if (!this.#isQueued) return; // It has run meanwhile, for a subscriber that joined.
    this.#isQueued = false;
    if (!this.#deliver()) this.#queue();
    else if (this.#isEnding) this.#disband();
    else if (this.#subscribers.size === 0) this.#close();
  };

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events.close();
    this.#onClose();
  }

  #disband(): void {
    for (const stream of this.#subscribers.keys()) this.#release(stream)?.detached(false);
    this.#close();
  }

  #release(stream: ResponseStream): Subscriber | undefined {
    const subscriber = this.#subscribers.get(stream);
    this.#subscribers.delete(stream);
    const position = this.#waiting?.delete(stream) === true ? this.#reachedByWaiting : this.#reached;
    if (position) subscriber?.events.sharing()?.resume(position);
    return subscriber;
  }

  /** Takes and writes events. Returns false when the time of this turn is over before all are written. */
  #deliver(): boolean {
    if (this.#batch !== undefined && !this.#finish(this.#batch)) return false;
    while (!this.#isEnding) {
      const [subscriber] = this.#subscribers.values();
      if (subscriber === undefined) return true;
      const batch = this.#take(subscriber.encode);
      if (batch.frames.length === 0) return true;
      if (!this.#begin(batch)) return false;
      if (batch.bytes < batchBytes) return true;
      if (this.#lane.turns.isOver) return false;
    }
    return true;
  }

  /** Takes the next events, as many as make one write. */
  #take(encode: Subscriber['encode']): Batch {
    const frames: Buffer[] = [];
    let bytes = 0;
    let end = this.#reached;
    try {
      while (bytes < batchBytes) {
        const next = this.#events.take();
        if (next === undefined) break;
        if (next.done === true) {
          this.#isEnding = true;
          break;
        }
        const frame = encode(next.value);
        frames.push(frame);
        bytes += frame.length;
        end = this.#events.sharing()?.position();
      }
    } catch {
      this.#isEnding = true; // Each subscriber gets the error from its own events.
    }
    return { frames, bytes, end };
  }

  /** Writes a batch to all streams. Returns false when some have to wait for it. */
  #begin(batch: Batch): boolean {
    const [first] = this.#subscribers.values();
    for (const frame of batch.frames) first?.sent(frame.length, this.#subscribers.size);
    this.#reachedByWaiting = this.#reached;
    this.#reached = batch.end;
    const streams = this.#subscribers.keys();
    if (this.#write(batch, streams)) return true;
    this.#waiting = new Set(streams);
    this.#batch = batch;
    return false;
  }

  /** Writes a batch to the streams that wait for it. Returns false when some still do. */
  #finish(batch: Batch): boolean {
    const waiting = this.#waiting ?? new Set();
    if (!this.#write(batch, waiting.values(), waiting)) return false;
    this.#waiting = undefined;
    this.#batch = undefined;
    return true;
  }

  /** hot: each client costs one write. Returns false when the time of this turn is over; the iterator then continues with the next stream. */
  #write({ frames, bytes }: Batch, streams: Iterator<ResponseStream>, waiting?: Set<ResponseStream>): boolean {
    let bytesLeft = bytesBetweenChecks;
    for (let next = streams.next(); next.done !== true; next = streams.next()) {
      const stream = next.value;
      waiting?.delete(stream);
      if (!stream.writeAll(frames)) this.#release(stream)?.detached(true);
      bytesLeft -= Math.max(bytes, minWriteBytes);
      if (bytesLeft > 0) continue;
      if (this.#lane.turns.isOver) return false;
      bytesLeft = bytesBetweenChecks;
    }
    return true;
  }
}

/**
 * Fans the frames of events out to watchers that get the same frames: one cursor is woken, takes and encodes the events for all, and each frame
 * is written to each client. A watcher that has an event of its own (a bookmark), that ends, or whose client is behind leaves its group, continues
 * from the position of the group, and may join again.
 */
export class FanOutGroups {
  readonly #byChannel = new WeakMap<object, Map<string, FanOutGroup>>();

  /**
   * Joins the group of a form, which stands for everything that frames depend on besides their events. Returns undefined when the subscriber
   * continues alone.
   */
  join(form: string, subscriber: Subscriber): FanOutGroup | undefined {
    const sharing = subscriber.events.sharing();
    if (sharing?.position() === undefined) return undefined;
    const { channel } = sharing;
    let groups = this.#byChannel.get(channel);
    let group = groups?.get(form);
    if (!group) {
      if (!sharing.hasOthers()) return undefined;
      if (!groups) this.#byChannel.set(channel, (groups = new Map<string, FanOutGroup>()));
      const others = groups;
      group = new SharedCursor(sharing.fork(), subscriber.lane.turns.lane(), () => others.delete(form));
      groups.set(form, group);
    }
    return group.join(subscriber);
  }
}
