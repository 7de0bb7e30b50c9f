/** Counts the turns of the event loop until it is stopped. */
export function countTurns(): { readonly turns: number; stop(): void } {
  let turns = 0;
  let stopped = false;
  const next = (): void => {
    if (stopped) return;
    turns++;
    setImmediate(next);
  };
  setImmediate(next);
  return {
    get turns() {
      return turns;
    },
    stop: () => void (stopped = true),
  };
}
