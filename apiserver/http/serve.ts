import { performance } from 'node:perf_hooks';
import { IndexedSet } from '../../lib/collections/indexed-set.js';
import { timeout } from '../../apimachinery/errors/status.js';
import type { HttpExchange } from '../interface.js';
import { answerError } from './answer.js';
import type { RequestFilter } from './filters.js';
import { Request } from './request.js';

/** Milliseconds between two checks of deadlines: a request may exceed its deadline by this. */
const sweepIntervalMs = 250;

export interface ServingEvents {
  /** Called at the beginning of each turn of a request. */
  readonly onAdvance?: (request: Request) => void;
  /** Called with errors that are no answers of the API. */
  readonly onBug: (request: Request, error: unknown) => void;
  /** Called when a request has exceeded its deadline. */
  readonly onLate?: (request: Request) => void;
  /** Called at the end of each request. */
  readonly onEnd?: (request: Request) => void;
}

/** Takes requests through the filters, and ends those that exceed their deadline. */
export class Serving {
  readonly #filters: readonly RequestFilter[];
  readonly #events: ServingEvents;
  /** The requests with a deadline, which are checked for it. */
  readonly #timed = new IndexedSet<Request>();
  /** The others: watches and other long-running requests, of which there may be thousands. */
  readonly #untimed = new IndexedSet<Request>();
  readonly #sweep: NodeJS.Timeout;
  #draining = false;
  /** Resolves the promise of `drain`. */
  #onIdle: (() => void) | undefined;

  constructor(filters: readonly RequestFilter[], events: ServingEvents) {
    this.#filters = filters;
    this.#events = events;
    this.#sweep = setInterval(() => this.#endLate(), sweepIntervalMs).unref();
  }

  /** The number of requests that are being served. */
  get inFlight(): number {
    return this.#timed.size + this.#untimed.size;
  }

  /** hot: takes a request through the filters. Never throws. */
  serve(exchange: HttpExchange): void {
    const request = new Request(exchange, this.#onDone);
    request.registration = this.#timed.add(request);
    if (this.#draining) request.abort(new Error('the server stops'));
    this.#advance(request, 0);
    // The filter that sets deadlines has run: those before it do not wait.
    if (request.deadline === Infinity && !request.ended) {
      request.registration.remove();
      request.registration = this.#untimed.add(request);
    }
  }

  /** Ends watches and other long-running requests now; resolves when every request is answered. */
  drain(): Promise<void> {
    this.#draining = true;
    for (const request of this.#untimed.values()) request.abort(new Error('the server stops'));
    return this.inFlight === 0 ? Promise.resolve() : new Promise(resolve => (this.#onIdle = resolve));
  }

  /** Ends the checks of deadlines. */
  close(): void {
    clearInterval(this.#sweep);
  }

  /**
   * hot: runs the filters from the index `from` on, and waits only for filters that return a promise. A request that ended meanwhile (by a
   * deadline) goes no further: nothing would release what later filters acquire for it.
   */
  #advance(request: Request, from: number): void {
    this.#events.onAdvance?.(request);
    const filters = this.#filters;
    try {
      for (let i = from; i < filters.length; i++) {
        if (request.ended) return;
        const pending = filters[i]?.(request);
        if (!pending) continue;
        pending.then(
          () => this.#goOn(request, i + 1),
          (error: unknown) => this.#fail(request, error),
        );
        return;
      }
      if (!request.exchange.answered)
        throw new Error(`no answer to ${request.exchange.method} ${request.exchange.path}`);
    } catch (error) {
      this.#fail(request, error);
    }
  }

  /** Runs the remaining filters when it is the turn of the client. After the last one nothing is left that others could wait for. */
  #goOn(request: Request, from: number): void {
    if (from === this.#filters.length) this.#advance(request, from);
    else request.exchange.lane.run(() => this.#advance(request, from));
  }

  #fail(request: Request, error: unknown): void {
    const { onBug } = this.#events;
    // An answer that was begun cannot be completed, and the client must not take it for complete.
    if (request.exchange.answered && !request.ended) request.exchange.abort();
    try {
      answerError(request, error, bug => onBug(request, bug));
    } catch (bug) {
      onBug(request, bug);
    }
    request.release();
  }

  readonly #onDone = (request: Request): void => {
    request.registration?.remove();
    this.#events.onEnd?.(request);
    if (this.inFlight === 0) this.#onIdle?.();
  };

  #endLate(): void {
    if (this.#timed.size === 0) return;
    const now = performance.now();
    for (const request of this.#timed.values()) {
      if (request.deadline > now || request.ended) continue;
      request.deadline = Infinity;
      const error = timeout('request did not complete within the allotted timeout');
      request.abort(error);
      // The connection cannot be reused, since the rest of a body may still arrive on it.
      if (!request.exchange.answered && request.exchange.protocol === 'HTTP/1.1') request.exchange.leave();
      if (!request.exchange.answered) this.#events.onLate?.(request);
      this.#fail(request, error);
    }
  }
}
