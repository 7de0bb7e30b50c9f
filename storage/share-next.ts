/**
 * One call at a time; whoever asks while one runs shares the next one, which begins after he asked. For questions whose answer must not be older
 * than the question.
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
