/** Estimates the number of seats of a request from the amount of data that it handles. */
import type { Query, RequestInfo } from '../interface.js';
import { isTrueParameter } from '../http/request-info.js';
import type { WatchCount } from './watch-count.js';

export interface WorkEstimate {
  readonly seats: number;
  readonly finalSeats: number;
  /** Milliseconds for which the final seats are held after the request. */
  readonly latency: number;
}

interface Estimator {
  /** hot: returns the estimate. `maxSeats`: the maximum of the level for one request. */
  readonly estimate: (info: RequestInfo, query: Query, maxSeats: number | undefined) => WorkEstimate;
  /** Records the bytes of a list, for the estimates of similar ones. */
  readonly record: (info: RequestInfo, query: Query, bytes: number) => void;
}

// as apiserver/pkg/util/flowcontrol/request/config.go
const watchesPerSeat = 10;
const msPerEvent = 5;
const maxListSeats = 100;
const maxWriteSeats = 10;
const bytesPerSeat = 100_000;
/** The maximum bytes that count for a list: it is created while it is sent, so it is never in memory as a whole. */
const maxListBytes = 1_000_000;
/** The number of lists whose bytes are recorded. */
const maxRecorded = 10_000;

const one: WorkEstimate = { seats: 1, finalSeats: 0, latency: 0 };
const several: readonly WorkEstimate[] = Array.from({ length: maxListSeats + 1 }, (_, seats) =>
  seats < 2 ? one : { seats, finalSeats: 0, latency: 0 },
);

/** Reports whether a request is a list, or a watch that begins with the existing objects. */
function startsWithList({ verb }: RequestInfo, query: Query): boolean {
  if (verb === 'list') return true;
  const initial = query.get('sendInitialEvents');
  const version = query.get('resourceVersion') ?? '';
  return (initial !== undefined && isTrueParameter(initial)) || version === '' || version === '0';
}

const listKey = ({ group, resource, namespace }: RequestInfo, query: Query): string =>
  `${group}/${resource}/${namespace}/${query.get('limit') ?? ''}`;

/**
 * Estimates lists by the size of the last similar one, and writes by the number of watches that get the event.
 * differs: sizes are those of previous answers; upstream multiplies counts by average sizes. All lists are read from the watch cache.
 */
export function estimator(watches: WatchCount): Estimator {
  const sizes = new Map<string, number>();

  const estimateWrite = (info: RequestInfo, maxSeats: number | undefined): WorkEstimate => {
    if (info.subresource === 'token') return one; // It causes no event.
    const watching = watches.of(info);
    if (watching < watchesPerSeat) return one;
    const seats = Math.ceil(watching / watchesPerSeat);
    const finalSeats = Math.min(seats, maxSeats ?? maxWriteSeats, maxWriteSeats);
    return { seats: 1, finalSeats, latency: (seats * msPerEvent) / finalSeats };
  };

  return {
    estimate(info, query, maxSeats) {
      if (!info.isResource) return one;
      switch (info.verb) {
        case 'list':
        case 'watch': {
          if (info.name !== '' || sizes.size === 0 || !startsWithList(info, query)) return one;
          const bytes = Math.min(sizes.get(listKey(info, query)) ?? 0, maxListBytes);
          const seats = Math.min(Math.ceil(bytes / bytesPerSeat), maxSeats ?? maxListSeats, maxListSeats);
          return several[seats] ?? one;
        }
        case 'create':
        case 'update':
        case 'patch':
        case 'delete':
          return estimateWrite(info, maxSeats);
        default:
          return one;
      }
    },
    record(info, query, bytes) {
      if (info.verb !== 'list' || info.name !== '') return;
      const key = listKey(info, query);
      if (bytes <= bytesPerSeat) return void sizes.delete(key);
      if (sizes.size >= maxRecorded) sizes.clear();
      sizes.set(key, bytes);
    },
  };
}
