/** Values that may be promises. No promises are created for available values. */

export type Maybe<T> = T | Promise<T>;

/** Calls `next` with the value: now if there is one, else when the promise is fulfilled. */
export const andThen = <T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Calls `next` with the value, or `failed` with what was thrown or rejected. */
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
