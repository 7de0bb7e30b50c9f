/** Counts the requests that are served and that wait in queues, reading and mutating ones separately. */
import type { Registry } from 'prom-client';
import { TextAnswer } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import type { InFlightCount, Request } from '../http/request.js';
import { isLongRunning } from '../http/request-info.js';
import type { ServerMetrics } from '../metrics/request-metrics.js';
import { computed } from '../metrics/series.js';
import type { Maybe } from '../../lib/maybe.js';

const second = 1000;
const reads = new Set(['get', 'list', 'watch']);

/** The maximum number of requests at once, in this second and the one before it. The callers pass the time, so it needs no timer. */
class HighWaterMark {
  #current = 0;
  #max = 0;
  #previousMax = 0;
  #secondStart = 0;

  #startSecond(at: number): void {
    const passed = at - this.#secondStart;
    if (passed < second) return;
    this.#previousMax = passed < 2 * second ? this.#max : this.#current;
    this.#max = this.#current;
    this.#secondStart = at;
  }

  enter(at: number): void {
    this.#startSecond(at);
    if (++this.#current > this.#max) this.#max = this.#current;
  }

  leave(): void {
    this.#current--;
  }

  max(at: number): number {
    this.#startSecond(at);
    return Math.max(this.#previousMax, this.#max);
  }
}

class KindCount implements InFlightCount {
  readonly served = new HighWaterMark();
  readonly waiting = new HighWaterMark();

  left(): void {
    this.served.leave();
  }
}

/**
 * hot: wraps the filter that limits requests, and counts its outcome. Watches are not counted as served: they are part of
 * `apiserver_longrunning_requests`.
 */
// as apiserver/pkg/server/filters/maxinflight.go startRecordingUsage, RecordDroppedRequest
export function countedLimit(
  limit: RequestFilter,
  metrics: ServerMetrics,
  registry: Registry,
  clock: () => number,
): RequestFilter {
  const counts = { readOnly: new KindCount(), mutating: new KindCount() };
  const registerGauge = (name: string, help: string, state: 'served' | 'waiting'): void =>
    computed(registry, name, help, () =>
      Object.entries(counts).map(([kind, count]) => ({
        labels: { request_kind: kind },
        value: count[state].max(clock()),
      })),
    );
  const inSecond = 'at once in the last second, by kind.';
  registerGauge('apiserver_current_inflight_requests', `[STABLE] Most requests that were served ${inSecond}`, 'served');
  registerGauge('apiserver_current_inqueue_requests', `[ALPHA] Most requests that waited ${inSecond}`, 'waiting');

  const refused = (request: Request, error: unknown): never => {
    if (error instanceof TextAnswer && error.code === 429) {
      metrics.dropped(request.info, request);
      metrics.terminated(request.info, error.code);
    }
    throw error;
  };
  const enter = (request: Request, count: KindCount): void => {
    if (request.ended) return; // It ended while it waited.
    request.countedIn = count;
    count.served.enter(request.received);
  };
  const wait = async (request: Request, count: KindCount, turn: Promise<void>): Promise<void> => {
    count.waiting.enter(request.received);
    try {
      await turn;
    } catch (error) {
      refused(request, error);
    } finally {
      count.waiting.leave();
    }
    enter(request, count);
  };

  return request => {
    const { verb } = request.info;
    const count = reads.has(verb) ? counts.readOnly : counts.mutating;
    let turn: Maybe<void>;
    try {
      turn = limit(request);
    } catch (error) {
      return refused(request, error);
    }
    if (turn) return wait(request, count, turn);
    if (verb !== 'watch' && !isLongRunning(request.info)) enter(request, count);
  };
}
