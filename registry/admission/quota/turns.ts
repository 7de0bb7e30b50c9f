/** Runs what concerns the same key one after the other, in order. A failure does not stop those that wait. */
export function turns(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, run) => {
    const before = last.get(key);
    const turn = before ? before.then(run, run) : run();
    last.set(key, turn);
    const done = (): void => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(done, done);
    return turn;
  };
}
