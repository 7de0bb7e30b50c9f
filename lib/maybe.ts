/** Values that may come later, without making a promise for those that are there. */

export type Maybe<T> = T | Promise<T>;

export const andThen = <T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/** `next` of what comes, or `failed` of what was thrown or rejected. */
export function settle<T, U>(
  begin: () => Maybe<T>,
  next: (value: T) => Maybe<U>,
  failed: (error: unknown) => Maybe<U>,
): Maybe<U> {
  let value: Maybe<T>;
  try {
    value = begin();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(next, failed) : next(value);
}
