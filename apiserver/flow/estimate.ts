/** How many seats a request is worth: what it moves, not how long it may take. */
import type { Query, RequestInfo } from '../interface.js';
import { isTrue } from '../http/request-info.js';
import type { WatchCount } from './watch-count.js';

export interface Estimate {
  readonly seats: number;
  readonly finalSeats: number;
  /** Milliseconds for which the final seats are held. */
  readonly latency: number;
}

export interface Estimator {
  /** hot: `widest`: what the level allows one request. */
  estimate(info: RequestInfo, query: Query, widest: number | undefined): Estimate;
  /** What a list came to, for the next one like it. */
  learn(info: RequestInfo, query: Query, bytes: number): void;
}

// as apiserver/pkg/util/flowcontrol/request/config.go
const watchesPerSeat = 10;
const msPerEvent = 5;
const widestList = 100;
const widestWrite = 10;
const bytesPerSeat = 100_000;
/** A list is never in memory as a whole: it is made while it is sent. */
const bytesAtOnce = 1_000_000;
const remembered = 10_000;

const one: Estimate = { seats: 1, finalSeats: 0, latency: 0 };
const several: readonly Estimate[] = Array.from({ length: widestList + 1 }, (_, seats) =>
  seats < 2 ? one : { seats, finalSeats: 0, latency: 0 },
);

/** A watch that begins with what is there is a list, as far as that goes. */
function startsWithList({ verb }: RequestInfo, query: Query): boolean {
  if (verb === 'list') return true;
  const initial = query.get('sendInitialEvents');
  const version = query.get('resourceVersion') ?? '';
  return (initial !== undefined && isTrue(initial)) || version === '' || version === '0';
}

const listKey = ({ group, resource, namespace }: RequestInfo, query: Query): string =>
  `${group}/${resource}/${namespace}/${query.get('limit') ?? ''}`;

/**
 * Lists cost what the last one like them came to; writes what telling those costs who watch.
 * differs: sizes are learnt from answers, where upstream multiplies counts with average sizes; every list is of the watch cache.
 */
export function estimator(watches: WatchCount): Estimator {
  const sizes = new Map<string, number>();

  const ofWrite = (info: RequestInfo, widest: number | undefined): Estimate => {
    if (info.subresource === 'token') return one; // makes no event
    const watching = watches.of(info);
    if (watching < watchesPerSeat) return one;
    const seats = Math.ceil(watching / watchesPerSeat);
    const finalSeats = Math.min(seats, widest ?? widestWrite, widestWrite);
    return { seats: 1, finalSeats, latency: (seats * msPerEvent) / finalSeats };
  };

  return {
    estimate(info, query, widest) {
      if (!info.isResource) return one;
      switch (info.verb) {
        case 'list':
        case 'watch': {
          if (info.name !== '' || sizes.size === 0 || !startsWithList(info, query)) return one;
          const bytes = Math.min(sizes.get(listKey(info, query)) ?? 0, bytesAtOnce);
          const seats = Math.min(Math.ceil(bytes / bytesPerSeat), widest ?? widestList, widestList);
          return several[seats] ?? one;
        }
        case 'create':
        case 'update':
        case 'patch':
        case 'delete':
          return ofWrite(info, widest);
        default:
          return one;
      }
    },
    learn(info, query, bytes) {
      if (info.verb !== 'list' || info.name !== '') return;
      const key = listKey(info, query);
      if (bytes <= bytesPerSeat) return void sizes.delete(key);
      if (sizes.size >= remembered) sizes.clear();
      sizes.set(key, bytes);
    },
  };
}
