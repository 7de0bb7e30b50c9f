/** A value that is made when it is first asked for, and kept; a failure is not. hot: expressions ask again and again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
