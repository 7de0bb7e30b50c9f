interface Load {
  readonly count: number;
  /** Number of concurrent operations. */
  readonly width: number;
}

/** Runs `operation` `count` times; resolves with the latency of each in milliseconds. */
export async function repeat({ count, width }: Load, operation: (index: number) => Promise<void>): Promise<number[]> {
  const latencies: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const began = performance.now();
      await operation(index);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
  return latencies;
}
