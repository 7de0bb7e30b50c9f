/** The seconds after which those may ask again who were turned away: more while many are, fewer when it gets better. */
export interface RetryAfter {
  /** Somebody was turned away at this second. */
  dropped(second: number): void;
  readonly seconds: number;
}

const most = 32;
/** So many a second, on average, are too many. */
const tooMany = 3;

// as apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go
export function retryAfter(): RetryAfter {
  let seconds = 1;
  let raisedAt = 0;
  let current = { second: 0, count: 0 };
  let history: (typeof current)[] = [];

  const judge = (now: number): void => {
    const recent = history.filter(({ second }) => now - second <= seconds).reduce((sum, { count }) => sum + count, 0);
    if (now - raisedAt >= seconds && recent >= tooMany * seconds) {
      seconds = Math.min(most, seconds * 2);
      raisedAt = now;
    } else if (recent < seconds && seconds > 1) seconds--;
  };

  return {
    dropped(second) {
      if (current.second === second) {
        current.count++;
        return;
      }
      history = [...history, current].filter(past => second - past.second <= Math.min(most, 2 * seconds));
      current = { second, count: 1 };
      judge(second);
    },
    get seconds() {
      return seconds;
    },
  };
}
