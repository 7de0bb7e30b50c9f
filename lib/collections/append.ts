/** As `push(...from)`, which fails for more items than the stack can hold. */
export function append<T>(to: T[], from: Iterable<T>): void {
  for (const item of from) to.push(item);
}
