import { ChurnMap } from '../../../lib/collections/churn-map.js';

export interface KeyedMutex {
  /** Reports whether a task of the key is running. */
  isLocked(key: string): boolean;
  /** Runs the tasks of a key one after the other, in order. A failure does not stop those that wait. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

/** Returns a mutex without locked keys. */
export function keyedMutex(): KeyedMutex {
  const last = new ChurnMap<string, Promise<unknown>>();
  return {
    isLocked: key => last.has(key),
    run(key, task) {
      const before = last.get(key);
      const turn = before ? before.then(task, task) : task();
      last.set(key, turn);
      const done = (): void => {
        if (last.get(key) === turn) last.delete(key);
      };
      turn.then(done, done);
      return turn;
    },
  };
}
