import process from 'node:process';

/** Resolves with the first signal that asks the process to end; a second one ends it at once. */
export function interruption(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    let isEnding = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (isEnding) process.exit(130);
        isEnding = true;
        resolve(signal);
      });
  });
}
