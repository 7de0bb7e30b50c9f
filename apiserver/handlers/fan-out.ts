import type { Event, Events } from '../../registry/pipeline/interface.js';
import type { ResponseStream } from '../interface.js';
import { atEndOfTurn, batchBytes } from './end-of-turn.js';

/** A watcher that has taken all there is, and whose client keeps up. */
export interface Subscriber {
  readonly events: Events;
  readonly stream: ResponseStream;
  /** Without a promise; the same for all of a convoy. */
  readonly encode: (event: Event) => Buffer;
  /** Hears of the length of each frame, and how many it was written to. */
  readonly sent: (bytes: number, times: number) => void;
  /** It goes on alone, from where all were. `behind`: and only when its client has caught up. */
  alone(behind: boolean): void;
}

/** Those who travel together. */
export interface FanOutGroup {
  /** Undefined: it stays alone. */
  join(traveller: Subscriber): FanOutGroup | undefined;
  leave(traveller: Subscriber): void;
}

/** `over` is called when nobody travels any more. */
function travel(events: Events, over: () => void): FanOutGroup {
  /** By their streams: of each, that is all that a delivery touches. */
  const travellers = new Map<ResponseStream, Subscriber>();
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
    const [first] = travellers.values();
    for (const frame of frames) first?.sent(frame.length, travellers.size);
    for (const stream of travellers.keys()) if (!stream.writeAll(frames)) release(stream)?.alone(true);
  }

  function release(stream: ResponseStream): Subscriber | undefined {
    const traveller = travellers.get(stream);
    travellers.delete(stream);
    if (reached) traveller?.events.company?.()?.goOn(reached);
    return traveller;
  }

  function part(): void {
    for (const stream of travellers.keys()) release(stream)?.alone(false);
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
    const [traveller] = travellers.values();
    if (!traveller) return;
    if (!go(traveller.encode)) part();
    else if (travellers.size === 0) close();
  }

  events.onReady(() => {
    if (noted) return;
    noted = true;
    atEndOfTurn(run);
  });

  const convoy: FanOutGroup = {
    join(traveller) {
      const company = traveller.events.company?.();
      // It may have seen what the convoy is about to tell.
      if (noted) run();
      if (closed || !company || company.place() !== reached) return undefined;
      company.rest();
      travellers.set(traveller.stream, traveller);
      return convoy;
    },
    leave({ stream }) {
      release(stream);
      if (travellers.size === 0) close();
    },
  };
  return convoy;
}

/**
 * Watchers that are told the same frames travel together: one cursor is woken, takes and encodes for all, and what it got is written to each. Who
 * has something of its own to hear, who ends and whose client is behind leaves, goes on from where all were, and may come back.
 */
export class FanOutGroups {
  readonly #byChannel = new WeakMap<object, Map<string, FanOutGroup>>();

  /** `form`: what the frames of an event depend on. Undefined: it stays alone. */
  join(form: string, traveller: Subscriber): FanOutGroup | undefined {
    const company = traveller.events.company?.();
    if (company?.place() === undefined) return undefined;
    const { channel } = company;
    let convoys = this.#byChannel.get(channel);
    let convoy = convoys?.get(form);
    if (!convoy) {
      if (!company.isAccompanied()) return undefined;
      if (!convoys) this.#byChannel.set(channel, (convoys = new Map<string, FanOutGroup>()));
      const others = convoys;
      convoy = travel(company.fork(), () => others.delete(form));
      convoys.set(form, convoy);
    }
    return convoy.join(traveller);
  }
}
