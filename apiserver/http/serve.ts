import { performance } from 'node:perf_hooks';
import { IndexedSet } from '../../lib/collections/indexed-set.js';
import { timeout } from '../../apimachinery/errors/status.js';
import type { HttpExchange } from '../interface.js';
import { answerError } from './answer.js';
import type { Filter } from './filters.js';
import { Request } from './request.js';

export interface Serving {
  /** Takes a request through the filters. Never throws. */
  readonly serve: (exchange: HttpExchange) => void;
  /** Requests that are being served. */
  readonly inFlight: number;
  /** Ends watches and other long-running requests now; resolves when every request has its answer. */
  drain(): Promise<void>;
  close(): void;
}

/** How often late requests are looked for; deadlines are met that exactly. */
const sweepEvery = 250;

export interface ServingEvents {
  /** Hears of each turn of a request, as it begins. */
  readonly onAdvance?: (request: Request) => void;
  /** Hears of what is no answer of the API. */
  readonly onBug: (request: Request, error: unknown) => void;
  /** Hears of each request whose time is over. */
  readonly onLate?: (request: Request) => void;
  /** Hears of each request at its end. */
  readonly onEnd?: (request: Request) => void;
}

export function serving(filters: readonly Filter[], { onAdvance, onBug, onLate, onEnd }: ServingEvents): Serving {
  const inFlight = new IndexedSet<Request>();
  let draining = false;
  let idle: (() => void) | undefined;

  const onDone = (request: Request): void => {
    request.registration?.remove();
    onEnd?.(request);
    if (inFlight.size === 0) idle?.();
  };

  const fail = (request: Request, error: unknown): void => {
    // What was begun cannot be completed, and must not look as if it were.
    if (request.exchange.answered && !request.ended) request.exchange.abort();
    try {
      answerError(request, error, bug => onBug(request, bug));
    } catch (bug) {
      onBug(request, bug);
    }
    request.release();
  };

  /**
   * hot: goes through the filters from one on; steps that need not wait do not. A request that ended meanwhile (a deadline) goes no further:
   * what later steps take for it nobody would give back.
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
      const late = timeout('request did not complete within the allotted timeout');
      request.abort(late);
      // What comes after it, the rest of a body for example, is nobody's any more.
      if (!request.exchange.answered && request.exchange.protocol === 'HTTP/1.1') request.exchange.leave();
      if (!request.exchange.answered) onLate?.(request);
      fail(request, late);
    }
  }, sweepEvery);
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
      return inFlight.size === 0 ? Promise.resolve() : new Promise(resolve => (idle = resolve));
    },
    close: () => clearInterval(sweep),
  };
}
