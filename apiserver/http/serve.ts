import { performance } from 'node:perf_hooks';
import { IndexedSet } from '../../lib/collections/indexed-set.js';
import { timeout } from '../../apimachinery/errors/status.js';
import type { HttpExchange } from '../interface.js';
import { answerError } from './answer.js';
import type { Filter } from './filters.js';
import { Request } from './request.js';

interface Serving {
  /** Takes a request through the filters. Never throws. */
  readonly serve: (exchange: HttpExchange) => void;
  /** The number of requests that are being served. */
  readonly inFlight: number;
  /** Ends watches and other long-running requests now; resolves when every request is answered. */
  drain(): Promise<void>;
  close(): void;
}

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

export function serving(filters: readonly Filter[], { onAdvance, onBug, onLate, onEnd }: ServingEvents): Serving {
  const inFlight = new IndexedSet<Request>();
  let draining = false;
  let onIdle: (() => void) | undefined;

  const onDone = (request: Request): void => {
    request.registration?.remove();
    onEnd?.(request);
    if (inFlight.size === 0) onIdle?.();
  };

  const fail = (request: Request, error: unknown): void => {
    // An answer that was begun cannot be completed, and the client must not take it for complete.
    if (request.exchange.answered && !request.ended) request.exchange.abort();
    try {
      answerError(request, error, bug => onBug(request, bug));
    } catch (bug) {
      onBug(request, bug);
    }
    request.release();
  };

  /**
   * hot: runs the filters from the index `from` on, and waits only for filters that return a promise. A request that ended meanwhile (by a
   * deadline) goes no further: nothing would release what later filters acquire for it.
   */
  const advance = (request: Request, from: number): void => {
    onAdvance?.(request);
    try {
      for (let i = from; i < filters.length; i++) {
        if (request.ended) return;
        const pending = filters[i]?.(request);
        if (!pending) continue;
        pending.then(
          () => request.exchange.lane.run(() => advance(request, i + 1)),
          (error: unknown) => fail(request, error),
        );
        return;
      }
      if (!request.exchange.answered)
        throw new Error(`no answer to ${request.exchange.method} ${request.exchange.path}`);
    } catch (error) {
      fail(request, error);
    }
  };

  const serve = (exchange: HttpExchange): void => {
    const request = new Request(exchange, onDone);
    request.registration = inFlight.add(request);
    if (draining) request.abort(new Error('the server stops'));
    advance(request, 0);
  };

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const request of inFlight.values()) {
      if (request.deadline > now || request.ended) continue;
      request.deadline = Infinity;
      const error = timeout('request did not complete within the allotted timeout');
      request.abort(error);
      // The connection cannot be reused, since the rest of a body may still arrive on it.
      if (!request.exchange.answered && request.exchange.protocol === 'HTTP/1.1') request.exchange.leave();
      if (!request.exchange.answered) onLate?.(request);
      fail(request, error);
    }
  }, sweepIntervalMs);
  sweep.unref();

  return {
    serve,
    get inFlight() {
      return inFlight.size;
    },
    drain: () => {
      draining = true;
      for (const request of inFlight.values())
        if (request.deadline === Infinity) request.abort(new Error('the server stops'));
      return inFlight.size === 0 ? Promise.resolve() : new Promise(resolve => (onIdle = resolve));
    },
    close: () => clearInterval(sweep),
  };
}
