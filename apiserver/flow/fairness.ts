/** The filter that limits requests by priority and fairness. */
import { TextAnswer } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import { isLongRunning } from '../http/request-info.js';
import { type WorkEstimate, estimator } from './estimate.js';
import type { Flow, FlowControl } from './flow-control.js';
import type { FlowMetrics, FlowSeries } from './flow-metrics.js';
import type { Ticket } from '../http/ticket.js';
import type { Queue, Refusal, QueuedRequest } from './queue-set.js';
import { watchCount } from './watch-count.js';
import type { Maybe } from '../../lib/maybe.js';

interface FairnessDeps {
  readonly control: FlowControl;
  readonly metrics: FlowMetrics;
  /** Milliseconds. */
  readonly clock: () => number;
}

/** Milliseconds. A request waits in a queue for at most this, and at most a quarter of its timeout. */
const maxWaitMs = 15_000;

const waitLimit = ({ deadline, received }: Request): number => Math.min(maxWaitMs, (deadline - received) / 4);

/** The ticket of a request whose level has limits. */
class LimitedTicket implements Ticket, QueuedRequest {
  readonly seats: number;
  readonly finalSeats: number;
  readonly latency: number;
  readonly flow: Flow;
  readonly isWatch: boolean;
  readonly series: FlowSeries;
  queue: Queue | undefined = undefined;
  startedAt = 0;
  /** Called when the request is dispatched from its queue. */
  onRun: (() => void) | undefined;
  state: 'waiting' | 'running' | 'done' = 'waiting';

  constructor(flow: Flow, series: FlowSeries, estimate: WorkEstimate, isWatch: boolean) {
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

/** The ticket of a request of an exempt flow, which is only counted. */
class ExemptTicket implements Ticket {
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

  /** Does nothing, since the ticket has no seat. */
  initialised(): void {
    return undefined;
  }

  finish(): void {
    count(this.flow, this.series, -1);
  }
}

/** The ticket of a watch of an exempt flow, which is counted until its initial events are sent. */
class ExemptWatchTicket implements Ticket {
  readonly #ticket: ExemptTicket;
  #isReleased = false;

  constructor(ticket: ExemptTicket) {
    this.#ticket = ticket;
  }

  get schemaUid(): string {
    return this.#ticket.schemaUid;
  }

  get levelUid(): string {
    return this.#ticket.levelUid;
  }

  initialised(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#ticket.finish();
  }

  finish(): void {
    this.initialised();
  }
}

/** Returns 429 as text. as apiserver/pkg/server/filters/priority-and-fairness.go tooManyRequests */
export const tooManyRequestsText = (seconds: number): TextAnswer =>
  new TextAnswer(429, 'Too many requests, please try again later.', { 'retry-after': String(seconds) });

class Fairness {
  readonly #control: FlowControl;
  readonly #metrics: FlowMetrics;
  readonly #clock: () => number;
  readonly #watches = watchCount();
  readonly #estimator = estimator(this.#watches);
  /** The ticket of each exempt flow, which all its requests share. */
  readonly #exempt = new WeakMap<Flow, ExemptTicket>();

  constructor({ control, metrics, clock }: FairnessDeps) {
    this.#control = control;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** hot: sets the ticket of a request. Returns no promise when seats are free. */
  limit(request: Request): Maybe<void> {
    const { info } = request;
    const { verb } = info;
    if (verb !== 'watch' && isLongRunning(info)) return;
    const flow = this.#control.flowOf(request.user, info);
    const series = this.#metrics.of(flow);
    if (verb === 'watch') request.onceDone(this.#watches.add(info));
    else if (verb === 'list') request.onceDone(bytes => this.#estimator.record(info, request.query, bytes));
    if (!flow.level.plan.exempt) return this.#enter(request, flow, series);
    const ticket = this.#exemptTicketOf(flow, series).start();
    request.ticket = verb === 'watch' ? new ExemptWatchTicket(ticket) : ticket;
  }

  #exemptTicketOf(flow: Flow, series: FlowSeries): ExemptTicket {
    let ticket = this.#exempt.get(flow);
    if (!ticket) this.#exempt.set(flow, (ticket = new ExemptTicket(flow, series)));
    return ticket;
  }

  #enter(request: Request, flow: Flow, series: FlowSeries): Maybe<void> {
    const { info, query } = request;
    const estimated = this.#estimator.estimate(info, query, flow.level.plan.maxRequestSeats);
    const ticket = new LimitedTicket(flow, series, estimated, info.verb === 'watch');
    series.seats.observe(Math.max(estimated.seats, estimated.finalSeats));
    request.ticket = ticket;
    const outcome = flow.level.set.start(ticket, flow.hand?.(request.user, info));
    if (outcome === 'waits') return this.#wait(request, ticket);
    if (outcome !== 'runs') throw this.#refuse(ticket, outcome);
    if (ticket.state === 'waiting') ticket.run();
  }

  #wait(request: Request, ticket: LimitedTicket): Promise<void> {
    return new Promise((resolve, reject) => {
      const began = this.#clock();
      const { series, flow } = ticket;
      series.waiting++;
      series.waitingSeats += ticket.seats;
      series.queueLength.observe(ticket.queue?.waiting.size ?? 0);
      const settle = (histogram: FlowSeries['waited']): void => {
        clearTimeout(timer);
        ticket.onRun = undefined;
        series.waiting--;
        series.waitingSeats -= ticket.seats;
        histogram.observe((this.#clock() - began) / 1000);
      };
      const cancel = (reason: Refusal): void => {
        if (!flow.level.set.leave(ticket)) return;
        settle(series.gaveUp);
        reject(this.#refuse(ticket, reason));
      };
      const timer = setTimeout(cancel, waitLimit(request), 'time-out');
      request.exchange.onClose(() => cancel('cancelled'));
      request.onceDone(() => cancel('cancelled')); // A deadline may have ended it: it must not be dispatched any more.
      ticket.onRun = () => {
        settle(series.waited);
        request.waited(this.#clock() - began);
        resolve();
      };
    });
  }

  /** Counts a refused request, and returns its answer. */
  #refuse(ticket: LimitedTicket, reason: Refusal): TextAnswer {
    const { flow, series } = ticket;
    const { level } = flow;
    level.rejected++;
    if (reason === 'time-out') level.timedOut++;
    if (reason === 'cancelled') level.cancelled++;
    series.rejected(reason);
    level.retryAfter.dropped(Math.floor(this.#clock() / 1000));
    ticket.state = 'done';
    return tooManyRequestsText(level.retryAfter.seconds);
  }
}

/** Returns the filter, which sets the ticket of each request. */
export function fairness(deps: FairnessDeps): RequestFilter {
  const fair = new Fairness(deps);
  return request => fair.limit(request);
}
