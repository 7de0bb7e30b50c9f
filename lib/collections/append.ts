/** As `push(...from)`, which fails for what is longer than the stack. */
export function append<T>(to: T[], from: Iterable<T>): void {
  for (const item of from) to.push(item);
}
