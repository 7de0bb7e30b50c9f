import type { Event, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';
import { atEndOfTurn, batchBytes } from './end-of-turn.js';

/** A watcher that has taken all there is, and whose client keeps up. */
export interface Subscriber {
  readonly events: Events;
  readonly stream: ResponseStream;
  /** Without a promise; the same for all of a group. */
  readonly encode: (event: Event) => Buffer;
  /** Hears of the length of each frame, and how many it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** It goes on alone, from where all were. `behind`: and only when its client has caught up. */
  alone(behind: boolean): void;
}

/** Those who travel together. */
export interface FanOutGroup {
  /** Undefined: it stays alone. */
  join(subscriber: Subscriber): FanOutGroup | undefined;
  leave(subscriber: Subscriber): void;
}

/** `over` is called when nobody travels any more. */
function travel(events: Events, over: () => void): FanOutGroup {
  /** By their streams: of each, that is all that a delivery touches. */
  const subscribers = new Map<ResponseStream, Subscriber>();
  let noted = false;
  let closed = false;
  /** All have got everything up to there. */
  let reached = events.company?.()?.place();

  function close(): void {
    closed = true;
    events.close();
    over();
  }

  // hot: once per delivery. What one client takes costs nothing but the write.
  function tell(frames: readonly Buffer[], upTo: object | undefined): void {
    reached = upTo;
    const [first] = subscribers.values();
    for (const frame of frames) first?.sent(frame.length, subscribers.size);
    for (const stream of subscribers.keys()) if (!stream.writeAll(frames)) release(stream)?.alone(true);
  }

  function release(stream: ResponseStream): Subscriber | undefined {
    const subscriber = subscribers.get(stream);
    subscribers.delete(stream);
    if (reached) subscriber?.events.company?.()?.goOn(reached);
    return subscriber;
  }

  function part(): void {
    for (const stream of subscribers.keys()) release(stream)?.alone(false);
    close();
  }

  /** Takes all there is. False: each has to see for itself. */
  function go(encode: Subscriber['encode']): boolean {
    let frames: Buffer[] = [];
    let bytes = 0;
    let upTo = reached;
    try {
      for (let next = events.take(); next !== undefined; next = events.take()) {
        if (next.done === true) return false;
        const frame = encode(next.value);
        frames.push(frame);
        bytes += frame.length;
        upTo = events.company?.()?.place();
        if (bytes < batchBytes) continue;
        tell(frames, upTo);
        frames = [];
        bytes = 0;
      }
      return true;
    } catch {
      return false;
    } finally {
      if (frames.length > 0) tell(frames, upTo);
    }
  }

  function run(): void {
    noted = false;
    const [subscriber] = subscribers.values();
    if (!subscriber) return;
    if (!go(subscriber.encode)) part();
    else if (subscribers.size === 0) close();
  }

  events.onReady(() => {
    if (noted) return;
    noted = true;
    atEndOfTurn(run);
  });

  const group: FanOutGroup = {
    join(subscriber) {
      const company = subscriber.events.company?.();
      // It may have seen what the group is about to tell.
      if (noted) run();
      if (closed || !company || company.place() !== reached) return undefined;
      company.rest();
      subscribers.set(subscriber.stream, subscriber);
      return group;
    },
    leave({ stream }) {
      release(stream);
      if (subscribers.size === 0) close();
    },
  };
  return group;
}

/**
 * Watchers that are told the same frames travel together: one cursor is woken, takes and encodes for all, and what it got is written to each. Who
 * has something of its own to hear, who ends and whose client is behind leaves, goes on from where all were, and may come back.
 */
export class FanOutGroups {
  readonly #byChannel = new WeakMap<object, Map<string, FanOutGroup>>();

  /** `form`: what the frames of an event depend on. Undefined: it stays alone. */
  join(form: string, subscriber: Subscriber): FanOutGroup | undefined {
    const company = subscriber.events.company?.();
    if (company?.place() === undefined) return undefined;
    const { channel } = company;
    let groups = this.#byChannel.get(channel);
    let group = groups?.get(form);
    if (!group) {
      if (!company.isAccompanied()) return undefined;
      if (!groups) this.#byChannel.set(channel, (groups = new Map<string, FanOutGroup>()));
      const others = groups;
      group = travel(company.fork(), () => others.delete(form));
      groups.set(form, group);
    }
    return group.join(subscriber);
  }
}
