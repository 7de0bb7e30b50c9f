/** Computes the seconds of Retry-After for rejected requests: more while many are rejected, fewer afterwards. */
export interface RetryAfter {
  /** Records that a request was rejected in this second. */
  dropped(second: number): void;
  readonly seconds: number;
}

const maxSeconds = 32;
/** The average rate of rejections per second from which on the value grows. */
const highRate = 3;

/**
 * Returns the counter of dropped requests, which tells after how many seconds clients should try again: more while many are dropped.
 * as apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go
 */
export function retryAfter(): RetryAfter {
  let seconds = 1;
  let raisedAt = 0;
  let current = { second: 0, count: 0 };
  let history: (typeof current)[] = [];

  const adapt = (now: number): void => {
    const recent = history.filter(({ second }) => now - second <= seconds).reduce((sum, { count }) => sum + count, 0);
    if (now - raisedAt >= seconds && recent >= highRate * seconds) {
      seconds = Math.min(maxSeconds, seconds * 2);
      raisedAt = now;
    } else if (recent < seconds && seconds > 1) seconds--;
  };

  return {
    dropped(second) {
      if (current.second === second) {
        current.count++;
        return;
      }
      history = [...history, current].filter(past => second - past.second <= Math.min(maxSeconds, 2 * seconds));
      current = { second, count: 1 };
      adapt(second);
    },
    get seconds() {
      return seconds;
    },
  };
}
