/**
 * Returns a function that runs one call at a time. A caller that comes while one runs shares the next one, which begins after it came: no answer
 * is older than its question.
 */
export function shareNext<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function begin(): Promise<T> {
    next = undefined;
    const begun = call();
    running = begun;
    const over = (): void => {
      if (running === begun) running = undefined;
    };
    begun.then(over, over);
    return begun;
  }

  return () => {
    if (running === undefined) return begin();
    return (next ??= running.then(begin, begin));
  };
}
