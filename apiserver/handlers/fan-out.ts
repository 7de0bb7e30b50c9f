import type { Lane } from '../../lib/turn-queue.js';
import type { Event, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';

/** Bytes that are put together into one write. */
export const batchBytes = 64 * 1024;
/** Bytes written between two looks at the clock. A write counts as `minWriteBytes`, however small it is. */
const bytesBetweenLooks = 256 * 1024;
const minWriteBytes = 16 * 1024;

/** A watcher that has taken all events there are, and whose client keeps up. */
export interface Subscriber {
  readonly events: Events;
  readonly stream: ResponseStream;
  readonly lane: Lane;
  /** Returns the frame, not a promise of it; the same frame for all subscribers of a group. */
  readonly encode: (event: Event) => Buffer;
  /** Is called with the length of each frame and the number of clients it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** Is called when the subscriber leaves the group and continues alone; `behind`: its client has not taken everything yet. */
  readonly alone: (behind: boolean) => void;
}

/** Subscribers that get the same frames. */
export interface FanOutGroup {
  /** Undefined: the subscriber stays alone. */
  join(subscriber: Subscriber): FanOutGroup | undefined;
  leave(subscriber: Subscriber): void;
}

/** Frames that were taken together. */
interface Batch {
  readonly frames: readonly Buffer[];
  readonly bytes: number;
  /** The place in the events after these frames. */
  readonly upTo: object | undefined;
}

/** One cursor whose frames are written to many clients. A batch for many clients is written in several turns of the event loop. */
class SharedCursor implements FanOutGroup {
  readonly #events: Events;
  readonly #lane: Lane;
  readonly #onClose: () => void;
  /** By their streams: a delivery touches nothing else of a subscriber. */
  readonly #subscribers = new Map<ResponseStream, Subscriber>();
  #isQueued = false;
  #isClosed = false;
  /** The events have ended, or failed: each subscriber continues alone. */
  #isEnding = false;
  /** The place that all have reached, except those that wait for the batch. */
  #reached: object | undefined;
  /** The subscribers that wait for the batch, and the place that they have reached. */
  #late: Set<ResponseStream> | undefined;
  #before: object | undefined;
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
    // The subscriber may have seen what the group is about to write.
    if (this.#isQueued && !this.#lane.turns.isOver) this.#run();
    if (this.#isClosed || !sharing || sharing.position() !== this.#reached) return undefined;
    sharing.suspend();
    this.#subscribers.set(subscriber.stream, subscriber);
    return this;
  }

  leave({ stream }: Subscriber): void {
    this.#release(stream);
    if (this.#subscribers.size === 0) this.#close();
  }

  readonly #queue = (): void => {
    if (this.#isQueued || this.#isClosed) return;
    this.#isQueued = true;
    this.#lane.defer(this.#run);
  };

  /** hot: once per turn of the event loop in which something happened. */
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
    for (const stream of this.#subscribers.keys()) this.#release(stream)?.alone(false);
    this.#close();
  }

  #release(stream: ResponseStream): Subscriber | undefined {
    const subscriber = this.#subscribers.get(stream);
    this.#subscribers.delete(stream);
    const place = this.#late?.delete(stream) === true ? this.#before : this.#reached;
    if (place) subscriber?.events.sharing()?.resume(place);
    return subscriber;
  }

  /** Returns false when the time of this turn is over before all is written. */
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
    let upTo = this.#reached;
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
        upTo = this.#events.sharing()?.position();
      }
    } catch {
      this.#isEnding = true; // Each subscriber gets the error from its own events.
    }
    return { frames, bytes, upTo };
  }

  /** Writes a batch to all. Returns false when some have to wait for it. */
  #begin(batch: Batch): boolean {
    const [first] = this.#subscribers.values();
    for (const frame of batch.frames) first?.sent(frame.length, this.#subscribers.size);
    this.#before = this.#reached;
    this.#reached = batch.upTo;
    const streams = this.#subscribers.keys();
    if (this.#write(batch, streams)) return true;
    this.#late = new Set(streams);
    this.#batch = batch;
    return false;
  }

  /** Writes a batch to those that wait for it. Returns false when some still do. */
  #finish(batch: Batch): boolean {
    const late = this.#late ?? new Set();
    if (!this.#write(batch, late.values(), late)) return false;
    this.#late = undefined;
    this.#batch = undefined;
    return true;
  }

  /** hot: what one client takes costs the write alone. Returns false when the time of this turn is over; the iterator stands at the next stream. */
  #write({ frames, bytes }: Batch, streams: Iterator<ResponseStream>, late?: Set<ResponseStream>): boolean {
    let left = bytesBetweenLooks;
    for (let next = streams.next(); next.done !== true; next = streams.next()) {
      const stream = next.value;
      late?.delete(stream);
      if (!stream.writeAll(frames)) this.#release(stream)?.alone(true);
      left -= Math.max(bytes, minWriteBytes);
      if (left > 0) continue;
      if (this.#lane.turns.isOver) return false;
      left = bytesBetweenLooks;
    }
    return true;
  }
}

/**
 * Fans the frames of events out to watchers that get the same ones: one cursor is woken, takes and encodes for all, and each frame is written to each
 * client. A watcher that has an event of its own, that ends, or whose client is behind leaves its group, continues from the place that the group had
 * reached, and may come back.
 */
export class FanOutGroups {
  readonly #byChannel = new WeakMap<object, Map<string, FanOutGroup>>();

  /** `form` names what the frames of an event depend on. Undefined: the subscriber stays alone. */
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
