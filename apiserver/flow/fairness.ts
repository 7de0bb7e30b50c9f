/** The filter that lets requests pass by priority and fairness. */
import { TextAnswer } from '../http/answer.js';
import type { Filter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { isLongRunning } from '../http/request-info.js';
import { type Estimate, estimator } from './estimate.js';
import type { Flow, FlowControl } from './flow-control.js';
import type { FlowMetrics, FlowSeries } from './flow-metrics.js';
import type { Ticket } from '../http/ticket.js';
import type { Queue, Refusal, Work } from './queue-set.js';
import { watchCount } from './watch-count.js';

export interface FairnessDeps {
  readonly control: FlowControl;
  readonly metrics: FlowMetrics;
  /** Milliseconds. */
  readonly clock: () => number;
}

/** A request waits for a quarter of its time at most, and never longer than this, in milliseconds. */
const longestWait = 15_000;

const waitLimit = ({ deadline, received }: Request): number => Math.min(longestWait, (deadline - received) / 4);

/** The place of a request of a level with limits. */
class Seat implements Ticket, Work {
  readonly seats: number;
  readonly finalSeats: number;
  readonly latency: number;
  readonly flow: Flow;
  readonly isWatch: boolean;
  readonly series: FlowSeries;
  queue: Queue | undefined = undefined;
  startedAt = 0;
  /** Called when the turn has come. */
  onRun: (() => void) | undefined;
  state: 'waiting' | 'running' | 'done' = 'waiting';

  constructor(flow: Flow, series: FlowSeries, estimate: Estimate, isWatch: boolean) {
    this.flow = flow;
    this.series = series;
    this.isWatch = isWatch;
    this.seats = estimate.seats;
    this.finalSeats = estimate.finalSeats;
    this.latency = estimate.latency;
  }

  get schemaUid(): string {
    return this.flow.schema.uid;
  }

  get levelUid(): string {
    return this.flow.level.plan.uid;
  }

  run(): void {
    const { series, flow } = this;
    this.state = 'running';
    flow.level.dispatched++;
    series.dispatched.inc();
    series.executing++;
    series.executingSeats += this.seats;
    this.onRun?.();
  }

  initialised(): void {
    if (this.state !== 'running') return;
    const { series, flow, isWatch } = this;
    const { set } = flow.level;
    this.state = 'done';
    series.executing--;
    series.executingSeats -= this.seats;
    set.finish(this);
    (isWatch ? series.executedWatch : series.executed).observe((set.time - this.startedAt) / 1000);
  }

  finish(): void {
    this.initialised();
  }
}

function count({ level }: Flow, series: FlowSeries, by: 1 | -1): void {
  level.set.executing += by;
  series.executing += by;
  series.executingSeats += by;
}

/** A place of an exempt flow: it is only counted. */
class Free implements Ticket {
  readonly flow: Flow;
  readonly series: FlowSeries;

  constructor(flow: Flow, series: FlowSeries) {
    this.flow = flow;
    this.series = series;
  }

  get schemaUid(): string {
    return this.flow.schema.uid;
  }

  get levelUid(): string {
    return this.flow.level.plan.uid;
  }

  start(): this {
    this.flow.level.dispatched++;
    this.series.dispatched.inc();
    count(this.flow, this.series, 1);
    return this;
  }

  /** It takes no seat. */
  initialised(): void {
    return undefined;
  }

  finish(): void {
    count(this.flow, this.series, -1);
  }
}

/** Of a watch: the place is its own, and is given back once it has told what there was. */
class FreeWatch implements Ticket {
  readonly #free: Free;
  #over = false;

  constructor(free: Free) {
    this.#free = free;
  }

  get schemaUid(): string {
    return this.#free.schemaUid;
  }

  get levelUid(): string {
    return this.#free.levelUid;
  }

  initialised(): void {
    if (this.#over) return;
    this.#over = true;
    this.#free.finish();
  }

  finish(): void {
    this.initialised();
  }
}

/** 429, in text. as apiserver/pkg/server/filters/priority-and-fairness.go tooManyRequests */
export const tooManyRequests = (seconds: number): TextAnswer =>
  new TextAnswer(429, 'Too many requests, please try again later.', { 'retry-after': String(seconds) });

/** hot: sets the ticket of each request; where seats are free it makes no promise. */
export function fairness({ control, metrics, clock }: FairnessDeps): Filter {
  const watches = watchCount();
  const { estimate, learn } = estimator(watches);
  /** One place for all requests of an exempt flow. */
  const exempt = new WeakMap<Flow, Free>();

  const refuse = (seat: Seat, why: Refusal): TextAnswer => {
    const { flow, series } = seat;
    const { level } = flow;
    level.rejected++;
    if (why === 'time-out') level.timedOut++;
    if (why === 'cancelled') level.cancelled++;
    series.rejected(why);
    level.retryAfter.dropped(Math.floor(clock() / 1000));
    seat.state = 'done';
    return tooManyRequests(level.retryAfter.seconds);
  };

  const wait = (request: Request, seat: Seat): Promise<void> =>
    new Promise((resolve, reject) => {
      const began = clock();
      const { series, flow } = seat;
      series.waiting++;
      series.waitingSeats += seat.seats;
      series.queueLength.observe(seat.queue?.waiting.size ?? 0);
      const settle = (histogram: FlowSeries['waited']): void => {
        clearTimeout(timer);
        seat.onRun = undefined;
        series.waiting--;
        series.waitingSeats -= seat.seats;
        histogram.observe((clock() - began) / 1000);
      };
      const giveUp = (why: Refusal): void => {
        if (!flow.level.set.leave(seat)) return;
        settle(series.gaveUp);
        reject(refuse(seat, why));
      };
      const timer = setTimeout(giveUp, waitLimit(request), 'time-out');
      request.exchange.onClose(() => giveUp('cancelled'));
      request.onceDone(() => giveUp('cancelled')); // answered by a deadline: his turn must not come any more
      seat.onRun = () => {
        settle(series.waited);
        request.waited(clock() - began);
        resolve();
      };
    });

  const enter = (request: Request, flow: Flow, series: FlowSeries): Promise<void> | void => {
    const { info, query } = request;
    const isWatch = info.verb === 'watch';
    const estimated = estimate(info, query, flow.level.plan.widest);
    const seat = new Seat(flow, series, estimated, isWatch);
    series.seats.observe(Math.max(estimated.seats, estimated.finalSeats));
    request.ticket = seat;
    const outcome = flow.level.set.start(seat, flow.hand?.(request.user, info));
    if (outcome === 'waits') return wait(request, seat);
    if (outcome !== 'runs') throw refuse(seat, outcome);
    if (seat.state === 'waiting') seat.run();
  };

  const freeOf = (flow: Flow, series: FlowSeries): Free => {
    let free = exempt.get(flow);
    if (!free) exempt.set(flow, (free = new Free(flow, series)));
    return free;
  };

  return request => {
    const { info } = request;
    const { verb } = info;
    if (verb !== 'watch' && isLongRunning(info)) return;
    const flow = control.flowOf(request.user, info);
    const series = metrics.of(flow);
    if (verb === 'watch') request.onceDone(watches.add(info));
    else if (verb === 'list') request.onceDone(bytes => learn(info, request.query, bytes));
    if (!flow.level.plan.exempt) return enter(request, flow, series);
    const free = freeOf(flow, series).start();
    request.ticket = verb === 'watch' ? new FreeWatch(free) : free;
  };
}
