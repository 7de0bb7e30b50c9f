/** Divides the time of the event loop among clients: the tasks of one turn share a budget, and further tasks wait for the next turn. */
import { performance } from 'node:perf_hooks';

type Task = () => void;

/** Maximum milliseconds that one task is charged with: the process may have waited for a CPU meanwhile. */
const maxCharge = 50;

/** The part of the time without tasks that is subtracted from the debt of a lane, so that it does not pay for a time long ago. */
const debtDecay = 0.1;

interface TurnQueueOptions {
  /** Milliseconds of one turn of the event loop that go to tasks, plus the last task. */
  readonly budget?: number;
  /** Tasks that run before the microtasks they create. The time of a task is known only after its microtasks. */
  readonly tasksInARow?: number;
  /**
   * Milliseconds that a lane gets at a time when several lanes wait, so that each gets the same time, however long its tasks are. Needs one task
   * in a row. By default, each lane gets one task at a time.
   */
  readonly quantum?: number;
  /** A monotonic clock of milliseconds. */
  readonly clock?: () => number;
}

/** The tasks of one client. They run in their order; clients take turns. A task must not throw. */
export interface Lane {
  readonly turns: TurnQueue;
  /** The number of waiting tasks. */
  readonly waiting: number;
  /** Runs the task at once when no task waits and this turn of the event loop has time left; queues it otherwise. */
  run(task: Task): void;
  /** Queues the task. It runs after the current callback, or in a later turn. */
  defer(task: Task): void;
  /**
   * To be called before each piece of work, which lasts until the caller awaits something. Returns undefined when it may begin at once; otherwise a
   * promise, to be awaited, that resolves when it is this lane's turn.
   */
  pause(): Promise<void> | undefined;
}

class ClientLane implements Lane {
  readonly turns: TurnQueue;
  readonly #ready: (lane: ClientLane) => void;
  readonly #tasks: Task[] = [];
  /** The lane that comes after this one, when both wait. */
  next: ClientLane | undefined;
  /** Milliseconds that the lane may still have in its turn; negative if it has had more than its share. Only used with a quantum. */
  credit = 0;
  /** When the lane was charged last. */
  chargedAt = 0;

  constructor(turns: TurnQueue, ready: (lane: ClientLane) => void) {
    this.turns = turns;
    this.#ready = ready;
  }

  get waiting(): number {
    return this.#tasks.length;
  }

  run(task: Task): void {
    if (this.turns.admit()) task();
    else this.defer(task);
  }

  defer(task: Task): void {
    if (this.#tasks.push(task) === 1) this.#ready(this);
  }

  pause(): Promise<void> | undefined {
    if (this.turns.isFree) return undefined;
    return new Promise(resolve => this.defer(resolve));
  }

  take(): Task | undefined {
    return this.#tasks.shift();
  }
}

/**
 * A turn of the event loop serves every socket that is ready, and its timers run only after that. A server therefore does as little as
 * possible when bytes arrive, and runs the requests in them through one queue of this kind. As long as the turn has time left, a task runs at
 * once, and the queue only reads the clock.
 */
export class TurnQueue {
  readonly #budget: number;
  readonly #tasksInARow: number;
  /** 0: each lane gets one task at a time. */
  readonly #quantum: number;
  readonly #clock: () => number;
  /** The lane whose task runs, and when it began; only used with a quantum. */
  #running: ClientLane | undefined;
  #runningSince = 0;
  /** Lanes that have tasks, in the order of their turns. */
  #first: ClientLane | undefined;
  #last: ClientLane | undefined;
  /** When the first task of this turn began; 0 when none has. */
  #began = 0;
  #isOver = false;
  #end: NodeJS.Immediate | undefined;
  /** Whether tasks waited for this turn, so that their time does not include the wait for further events. */
  #isBusy = false;
  #isNoted = false;
  #inARow = 0;

  constructor({ budget = 8, tasksInARow = 8, quantum = 0, clock = () => performance.now() }: TurnQueueOptions = {}) {
    this.#budget = budget;
    this.#tasksInARow = tasksInARow;
    this.#quantum = quantum;
    this.#clock = clock;
  }

  lane(): Lane {
    return new ClientLane(this, this.#ready);
  }

  /** hot: whether the tasks of this turn have used up its budget. Long tasks check it, and defer the rest of their work. */
  get isOver(): boolean {
    if (this.#isOver) return true;
    const now = this.#clock();
    if (this.#began === 0) {
      this.#began = now;
      this.#end = setImmediate(this.#turnEnds);
      // Immediates run after the sockets of each turn. One that holds the event loop would cost an idle one a further turn.
      if (!this.#isBusy) this.#end.unref();
      return false;
    }
    if (now - this.#began < this.#budget) return false;
    this.#end?.ref(); // Tasks may wait for it from now on, and nothing else may happen.
    return (this.#isOver = true);
  }

  /** hot: whether no task waits and this turn has time left. */
  get isFree(): boolean {
    return this.#first === undefined && !this.isOver;
  }

  /** hot: returns whether a task may run at once. Called by lanes only. */
  admit(): boolean {
    if (this.#inARow >= this.#tasksInARow || !this.isFree) return false;
    // Most rows have one task, so a tick is scheduled only for those that become full. Tasks of former rows count as well.
    if (++this.#inARow === this.#tasksInARow) process.nextTick(this.#rowEnds);
    return true;
  }

  readonly #rowEnds = (): void => {
    this.#inARow = 0;
  };

  readonly #ready = (lane: ClientLane): void => {
    if (this.#running === lane) this.#charge();
    if (lane.credit < 0) lane.credit = Math.min(0, lane.credit + (this.#clock() - lane.chargedAt) * debtDecay);
    if (lane.credit > 0) this.#prepend(lane);
    else this.#append(lane);
    if (this.#isNoted || this.#isOver) return;
    this.#isNoted = true;
    process.nextTick(this.#work);
  };

  #append(lane: ClientLane): void {
    if (this.#last === undefined) this.#first = lane;
    else this.#last.next = lane;
    this.#last = lane;
  }

  #prepend(lane: ClientLane): void {
    lane.next = this.#first;
    this.#first = lane;
    this.#last ??= lane;
  }

  /** Removes and returns the first lane. */
  #takeLane(): ClientLane | undefined {
    const lane = this.#first;
    if (lane === undefined) return undefined;
    this.#first = lane.next;
    if (this.#first === undefined) this.#last = undefined;
    lane.next = undefined;
    return lane;
  }

  #shift(): Task | undefined {
    if (this.#quantum > 0) this.#passDebtors();
    const lane = this.#takeLane();
    if (lane === undefined) return undefined;
    const task = lane.take();
    if (this.#quantum === 0) {
      if (lane.waiting > 0) this.#append(lane);
      return task;
    }
    if (lane.waiting > 0) this.#prepend(lane); // It may have credit left after this task.
    this.#running = lane;
    this.#runningSince = this.#clock();
    return task;
  }

  /** Subtracts the time since the last task began from the credit of its lane. */
  #charge(): void {
    const lane = this.#running;
    if (!lane) return;
    lane.chargedAt = this.#clock();
    lane.credit -= Math.min(lane.chargedAt - this.#runningSince, maxCharge);
    this.#running = undefined;
  }

  /** Puts a lane first that has credit. as deficit round robin (M. Shreedhar and G. Varghese, 1995) */
  #passDebtors(): void {
    const charged = this.#running;
    this.#charge();
    if (charged === this.#first && charged?.next && charged.credit <= 0) this.#moveBack();
    for (let lane = this.#first; lane && lane.credit <= 0; lane = this.#first) {
      // A lane that is alone gets a whole quantum: no other one waits.
      lane.credit = lane.next ? lane.credit + this.#quantum : this.#quantum;
      if (lane.credit > 0) return;
      this.#moveBack();
    }
  }

  /** Puts the first lane last. */
  #moveBack(): void {
    const lane = this.#takeLane();
    if (lane) this.#append(lane);
  }

  readonly #turnEnds = (): void => {
    this.#charge();
    this.#began = 0;
    this.#isOver = false;
    this.#isBusy = this.#first !== undefined;
    if (this.#isBusy) this.#work();
  };

  /** hot: runs tasks while the turn has time left. The others run after `#turnEnds`. */
  readonly #work = (): void => {
    this.#isNoted = false;
    for (let i = 0; i < this.#tasksInARow; i++) {
      if (this.#first === undefined || this.isOver) return;
      this.#shift()?.();
    }
    if (this.#first === undefined || this.#isOver || this.#isNoted) return;
    this.#isNoted = true;
    queueMicrotask(this.#afterMicrotasks);
  };

  /** A tick comes when no microtask is left. */
  readonly #afterMicrotasks = (): void => process.nextTick(this.#work);
}
