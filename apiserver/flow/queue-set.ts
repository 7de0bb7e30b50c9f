/**
 * The seats of one priority level, and the queues before them. Queues take turns by virtual time: each has a place on a line that its
 * requests push ahead, by seats times milliseconds, and the one that is furthest behind comes next. Who keeps the server busy falls
 * behind nobody but himself.
 *
 *     line ──┬────────┬───────────────┬──────▶      `now` moves on as fast as the seats do, shared by the busy queues
 *          queue 7  queue 2 (next)   queue 5        an idle queue starts at `now`: idleness earns nothing
 */
// as apiserver/pkg/util/flowcontrol/fairqueuing/queueset
import { Demand } from './demand.js';

export type Refusal = 'concurrency-limit' | 'queue-full' | 'time-out' | 'cancelled';

export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** Something that takes seats. The fields below the line are the queue set's. */
export interface Work {
  /** While it runs. */
  readonly seats: number;
  /** For so many milliseconds after its end. */
  readonly finalSeats: number;
  readonly latency: number;
  /** Its turn has come. */
  run(): void;
  // -----
  queue: Queue | undefined;
  startedAt: number;
}

export interface Queue {
  readonly index: number;
  readonly waiting: Set<Work>;
  executing: number;
  /** Where it stands on the line, in seat-milliseconds. */
  position: number;
}

/** What a request is thought to take before it has: milliseconds. */
const guess = 3;
/** Idle queues beyond this number are forgotten. */
const kept = 1024;

const widest = ({ seats, finalSeats }: Work): number => (seats > finalSeats ? seats : finalSeats);

export class QueueSet {
  readonly #clock: () => number;
  readonly #queues = new Map<number, Queue>();
  /** Those with somebody in them; the first is the one that was served the longest ago. */
  readonly #lined = new Set<Queue>();
  readonly demand: Demand;
  #queuing: Queuing | undefined;
  #limit = 0;
  #now = 0;
  #then: number;
  #busy = 0;
  #turns = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  executing = 0;
  waiting = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#then = clock();
    this.demand = new Demand(this.#then);
  }

  /** `queuing`: undefined turns away whoever finds no seat. */
  configure(queuing: Queuing | undefined): void {
    this.#queuing = queuing;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(seats: number) {
    this.#limit = seats;
    this.#advance();
    this.#dispatch();
  }

  /** Of the last thing that happened. */
  get time(): number {
    return this.#then;
  }

  get busyQueues(): number {
    return this.#busy;
  }

  queues(): Iterable<Queue> {
    return this.#queues.values();
  }

  /** hot: `hand`: the queues of the flow. undefined: it waits. */
  start(work: Work, hand: readonly number[] | undefined): 'runs' | 'waits' | Refusal {
    this.#advance();
    const queuing = this.#queuing;
    if (!queuing || !hand) {
      if (!this.#fits(work)) return 'concurrency-limit';
      this.#seat(work);
      return 'runs';
    }
    const queue = this.#pick(hand);
    if (this.waiting === 0 && this.#fits(work)) {
      this.#enter(queue);
      work.queue = queue;
      this.#seat(work);
      return 'runs';
    }
    if (queue.waiting.size >= queuing.queueLengthLimit) return 'queue-full';
    this.#enter(queue);
    work.queue = queue;
    queue.waiting.add(work);
    this.#lined.add(queue);
    this.waiting++;
    this.seatsWaiting += widest(work);
    this.#note();
    this.#dispatch();
    return queue.waiting.has(work) ? 'waits' : 'runs';
  }

  /** It does not wait any longer. False: its turn has come already. */
  leave(work: Work): boolean {
    const { queue } = work;
    if (!queue?.waiting.has(work)) return false;
    this.#advance();
    this.#remove(work, queue);
    this.#settle(queue);
    this.#note();
    this.#dispatch();
    return true;
  }

  /** hot: it is done; its final seats are held a while longer. */
  finish(work: Work): void {
    this.#advance();
    const { queue, finalSeats, seats, startedAt, latency } = work;
    if (queue) queue.position += seats * (this.#then - startedAt - guess);
    if (finalSeats === 0) return this.#vacate(work, widest(work));
    this.seatsInUse -= widest(work) - finalSeats;
    const timer = setTimeout(() => {
      this.#advance();
      this.#vacate(work, finalSeats);
    }, latency);
    timer.unref();
    this.#note();
    this.#dispatch();
  }

  #vacate({ queue }: Work, seats: number): void {
    this.executing--;
    this.seatsInUse -= seats;
    if (queue) {
      queue.executing--;
      this.#settle(queue);
    }
    this.#note();
    this.#dispatch();
  }

  /** Somebody wider than all seats goes alone. */
  #fits(work: Work): boolean {
    const seats = widest(work);
    return seats > this.#limit ? this.executing === 0 : this.seatsInUse + seats <= this.#limit;
  }

  #seat(work: Work): void {
    work.startedAt = this.#then;
    this.executing++;
    this.seatsInUse += widest(work);
    const { queue } = work;
    if (queue) {
      queue.executing++;
      queue.position += work.seats * guess + work.finalSeats * work.latency;
    }
    this.#note();
  }

  /** The shortest queue of a hand; of equal ones another each time. */
  #pick(hand: readonly number[]): Queue {
    const turn = this.#turns++;
    let best: Queue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const index = hand[(turn + i) % hand.length] ?? 0;
      let queue = this.#queues.get(index);
      if (!queue) this.#queues.set(index, (queue = { index, waiting: new Set(), executing: 0, position: 0 }));
      if (queue.waiting.size === 0) return queue;
      if (!best || queue.waiting.size < best.waiting.size) best = queue;
    }
    return best as Queue;
  }

  #enter(queue: Queue): void {
    if (queue.executing > 0 || queue.waiting.size > 0) return;
    queue.position = this.#now;
    this.#busy++;
  }

  #settle(queue: Queue): void {
    if (queue.executing > 0 || queue.waiting.size > 0) return;
    this.#busy--;
    if (this.#queues.size > kept) this.#queues.delete(queue.index);
  }

  #remove(work: Work, queue: Queue): void {
    queue.waiting.delete(work);
    this.#lined.delete(queue);
    if (queue.waiting.size > 0) this.#lined.add(queue);
    this.waiting--;
    this.seatsWaiting -= widest(work);
  }

  /** Whoever comes next and finds seats runs; who needs more than there are holds up the others, or he would never run. */
  #dispatch(): void {
    while (this.waiting > 0) {
      let next: Work | undefined;
      let from: Queue | undefined;
      let least = Infinity;
      for (const queue of this.#lined) {
        const [first] = queue.waiting;
        const end = queue.position + (first?.seats ?? 0) * guess;
        if (first && end < least) [next, from, least] = [first, queue, end];
      }
      if (!next || !from || !this.#fits(next)) return;
      this.#remove(next, from);
      this.#seat(next);
      next.run();
    }
  }

  /** The time that has passed, on the clock and on the line. */
  #advance(): void {
    const time = this.#clock();
    if (this.#busy > 0) {
      const seats = Math.min(this.seatsInUse + this.seatsWaiting, this.#limit);
      this.#now += ((time - this.#then) * seats) / this.#busy;
    }
    this.#then = time;
  }

  #note(): void {
    this.demand.set(this.seatsInUse + this.seatsWaiting, this.#then);
  }
}
