/** Returns a function that computes a value on first use and caches it; errors are not cached. hot: used by expressions. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
