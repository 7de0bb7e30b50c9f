/** How many requests are served, and how many wait for their turn: those that read, and those that change something. */
import type { Registry } from 'prom-client';
import { TextAnswer } from '../http/answer.js';
import type { Filter } from '../http/filters.js';
import type { Place, Request } from '../http/request.js';
import { isLongRunning } from '../http/request-info.js';
import type { ServerMetrics } from '../metrics/request-metrics.js';
import { computed } from '../metrics/series.js';

const second = 1000;
const reads = new Set(['get', 'list', 'watch']);

/** The most that there were at once, in this second and the one before it. Takes the time from who comes: it costs no timer. */
class Mark {
  #now = 0;
  #most = 0;
  #before = 0;
  #since = 0;

  #turn(at: number): void {
    const passed = at - this.#since;
    if (passed < second) return;
    this.#before = passed < 2 * second ? this.#most : this.#now;
    this.#most = this.#now;
    this.#since = at;
  }

  enter(at: number): void {
    this.#turn(at);
    if (++this.#now > this.#most) this.#most = this.#now;
  }

  leave(): void {
    this.#now--;
  }

  most(at: number): number {
    this.#turn(at);
    return Math.max(this.#before, this.#most);
  }
}

class Side implements Place {
  readonly served = new Mark();
  readonly waiting = new Mark();

  left(): void {
    this.served.leave();
  }
}

/**
 * hot: the filter that decides who may pass, with its outcome counted. Watches take a place only for the moment in which they begin: they are
 * counted among `apiserver_longrunning_requests`.
 */
// as apiserver/pkg/server/filters/maxinflight.go startRecordingUsage, RecordDroppedRequest
export function countedLimit(limit: Filter, metrics: ServerMetrics, registry: Registry, clock: () => number): Filter {
  const sides = { readOnly: new Side(), mutating: new Side() };
  const tell = (name: string, help: string, mark: 'served' | 'waiting'): void =>
    computed(registry, name, help, () =>
      Object.entries(sides).map(([kind, side]) => ({
        labels: { request_kind: kind },
        value: side[mark].most(clock()),
      })),
    );
  const inSecond = 'at once in the last second, by kind.';
  tell('apiserver_current_inflight_requests', `[STABLE] Most requests that were served ${inSecond}`, 'served');
  tell('apiserver_current_inqueue_requests', `[ALPHA] Most requests that waited ${inSecond}`, 'waiting');

  const refused = (request: Request, error: unknown): never => {
    if (error instanceof TextAnswer && error.code === 429) {
      metrics.dropped(request.info, request);
      metrics.terminated(request.info, error.code);
    }
    throw error;
  };
  const enter = (request: Request, side: Side): void => {
    if (request.ended) return; // while it waited
    request.place = side;
    side.served.enter(request.received);
  };
  const waits = async (request: Request, side: Side, turn: Promise<void>): Promise<void> => {
    side.waiting.enter(request.received);
    try {
      await turn;
    } catch (error) {
      refused(request, error);
    } finally {
      side.waiting.leave();
    }
    enter(request, side);
  };

  return request => {
    const { verb } = request.info;
    const side = reads.has(verb) ? sides.readOnly : sides.mutating;
    let turn: Promise<void> | void;
    try {
      turn = limit(request);
    } catch (error) {
      return refused(request, error);
    }
    if (turn) return waits(request, side, turn);
    if (verb !== 'watch' && !isLongRunning(request.info)) enter(request, side);
  };
}
