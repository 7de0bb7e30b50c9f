import { ChurnMap } from '../../../lib/collections/churn-map.js';

export interface KeyedMutex {
  /** Whether somebody has the turn for a key. */
  isLocked(key: string): boolean;
  /** Runs what concerns the same key one after the other, in order. A failure does not stop those that wait. */
  run<T>(key: string, what: () => Promise<T>): Promise<T>;
}

export function keyedMutex(): KeyedMutex {
  const last = new ChurnMap<string, Promise<unknown>>();
  return {
    isLocked: key => last.has(key),
    run(key, what) {
      const before = last.get(key);
      const turn = before ? before.then(what, what) : what();
      last.set(key, turn);
      const done = (): void => {
        if (last.get(key) === turn) last.delete(key);
      };
      turn.then(done, done);
      return turn;
    },
  };
}
