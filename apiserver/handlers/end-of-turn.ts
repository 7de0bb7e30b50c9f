let due: (() => void)[] = [];

function runDue(): void {
  const running = due;
  due = [];
  for (const run of running) run();
}

/** Everything that happens in one turn of the event loop is told at its end: to each watcher at once, and after the writers have their answers. */
export function atEndOfTurn(run: () => void): void {
  if (due.push(run) === 1) process.nextTick(runDue);
}

/** So much is put together into one write. */
export const batchBytes = 64 * 1024;
