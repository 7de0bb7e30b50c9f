/**
 * The seats of one priority level, and the queues before them. Queues take turns by virtual time: each has a position that its requests
 * advance, by seats times milliseconds, and the one with the lowest position comes next. So a busy flow delays only itself.
 *
 *     time ──┬────────┬───────────────┬──────▶      `#virtualTime` advances at the rate of the seats, divided by the busy queues
 *          queue 7  queue 2 (next)   queue 5        an idle queue starts at `#virtualTime`: idle time gives no advantage
 */
// as apiserver/pkg/util/flowcontrol/fairqueuing/queueset
import { DemandStatistics } from './demand.js';

export type Refusal = 'concurrency-limit' | 'queue-full' | 'time-out' | 'cancelled';

export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** A request that takes seats. The queue set writes the fields below the line. */
export interface QueuedRequest {
  /** Seats while it runs. */
  readonly seats: number;
  /** Seats for `latency` milliseconds after its end. */
  readonly finalSeats: number;
  readonly latency: number;
  /** Called when it is dispatched. */
  run(): void;
  // -----
  queue: Queue | undefined;
  startedAt: number;
}

export interface Queue {
  readonly index: number;
  readonly waiting: Set<QueuedRequest>;
  executing: number;
  /** Its position in virtual time, in seat-milliseconds. */
  position: number;
}

/** The expected duration of a request in milliseconds, until the actual one is known. */
const expectedMs = 3;
/** Idle queues beyond this number are dropped. */
const maxIdleQueues = 1024;

const maxSeatsOf = ({ seats, finalSeats }: QueuedRequest): number => (seats > finalSeats ? seats : finalSeats);

export class QueueSet {
  readonly #clock: () => number;
  readonly #queues = new Map<number, Queue>();
  /** Queues with waiting requests; the first one was served the longest ago. */
  readonly #nonEmpty = new Set<Queue>();
  readonly demand: DemandStatistics;
  #queuing: Queuing | undefined;
  #limit = 0;
  #virtualTime = 0;
  #time: number;
  #busy = 0;
  #picks = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  executing = 0;
  waiting = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#time = clock();
    this.demand = new DemandStatistics(this.#time);
  }

  /** `queuing`: undefined rejects requests that find no seat. */
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

  /** The time of the last change, in milliseconds of the clock. */
  get time(): number {
    return this.#time;
  }

  get busyQueues(): number {
    return this.#busy;
  }

  queues(): Iterable<Queue> {
    return this.#queues.values();
  }

  /** hot: starts a request, queues it, or returns why it is rejected. `hand`: the queues that it may use. */
  start(work: QueuedRequest, hand: readonly number[] | undefined): 'runs' | 'waits' | Refusal {
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
    this.#nonEmpty.add(queue);
    this.waiting++;
    this.seatsWaiting += maxSeatsOf(work);
    this.#note();
    this.#dispatch();
    return queue.waiting.has(work) ? 'waits' : 'runs';
  }

  /** Removes a waiting request. Returns false when it was dispatched already. */
  leave(work: QueuedRequest): boolean {
    const { queue } = work;
    if (!queue?.waiting.has(work)) return false;
    this.#advance();
    this.#remove(work, queue);
    this.#settle(queue);
    this.#note();
    this.#dispatch();
    return true;
  }

  /** hot: ends a running request. Its final seats are held for its `latency`. */
  finish(work: QueuedRequest): void {
    this.#advance();
    const { queue, finalSeats, seats, startedAt, latency } = work;
    if (queue) queue.position += seats * (this.#time - startedAt - expectedMs);
    if (finalSeats === 0) return this.#vacate(work, maxSeatsOf(work));
    this.seatsInUse -= maxSeatsOf(work) - finalSeats;
    const timer = setTimeout(() => {
      this.#advance();
      this.#vacate(work, finalSeats);
    }, latency);
    timer.unref();
    this.#note();
    this.#dispatch();
  }

  #vacate({ queue }: QueuedRequest, seats: number): void {
    this.executing--;
    this.seatsInUse -= seats;
    if (queue) {
      queue.executing--;
      this.#settle(queue);
    }
    this.#note();
    this.#dispatch();
  }

  /** Reports whether seats are free. A request with more seats than the limit runs alone. */
  #fits(work: QueuedRequest): boolean {
    const seats = maxSeatsOf(work);
    return seats > this.#limit ? this.executing === 0 : this.seatsInUse + seats <= this.#limit;
  }

  #seat(work: QueuedRequest): void {
    work.startedAt = this.#time;
    this.executing++;
    this.seatsInUse += maxSeatsOf(work);
    const { queue } = work;
    if (queue) {
      queue.executing++;
      queue.position += work.seats * expectedMs + work.finalSeats * work.latency;
    }
    this.#note();
  }

  /** Returns the shortest queue of a hand; among equal ones a different one each time. */
  #pick(hand: readonly number[]): Queue {
    const pick = this.#picks++;
    let best: Queue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const index = hand[(pick + i) % hand.length] ?? 0;
      let queue = this.#queues.get(index);
      if (!queue) this.#queues.set(index, (queue = { index, waiting: new Set(), executing: 0, position: 0 }));
      if (queue.waiting.size === 0) return queue;
      if (!best || queue.waiting.size < best.waiting.size) best = queue;
    }
    return best as Queue;
  }

  #enter(queue: Queue): void {
    if (queue.executing > 0 || queue.waiting.size > 0) return;
    queue.position = this.#virtualTime;
    this.#busy++;
  }

  #settle(queue: Queue): void {
    if (queue.executing > 0 || queue.waiting.size > 0) return;
    this.#busy--;
    if (this.#queues.size > maxIdleQueues) this.#queues.delete(queue.index);
  }

  #remove(work: QueuedRequest, queue: Queue): void {
    queue.waiting.delete(work);
    this.#nonEmpty.delete(queue);
    if (queue.waiting.size > 0) this.#nonEmpty.add(queue);
    this.waiting--;
    this.seatsWaiting -= maxSeatsOf(work);
  }

  /** Dispatches requests in order while seats are free. A request that needs more seats blocks the others, since it would never run otherwise. */
  #dispatch(): void {
    while (this.waiting > 0) {
      let next: QueuedRequest | undefined;
      let from: Queue | undefined;
      let lowest = Infinity;
      for (const queue of this.#nonEmpty) {
        const [first] = queue.waiting;
        const end = queue.position + (first?.seats ?? 0) * expectedMs;
        if (first && end < lowest) [next, from, lowest] = [first, queue, end];
      }
      if (!next || !from || !this.#fits(next)) return;
      this.#remove(next, from);
      this.#seat(next);
      next.run();
    }
  }

  /** Advances the clock and the virtual time. */
  #advance(): void {
    const time = this.#clock();
    if (this.#busy > 0) {
      const seats = Math.min(this.seatsInUse + this.seatsWaiting, this.#limit);
      this.#virtualTime += ((time - this.#time) * seats) / this.#busy;
    }
    this.#time = time;
  }

  #note(): void {
    this.demand.set(this.seatsInUse + this.seatsWaiting, this.#time);
  }
}
