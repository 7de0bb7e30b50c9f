import { ExpectedError, isExpected, isReportedElsewhere } from '../../lib/logging/cause.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { NotSynced, NotYet, ReportedElsewhere } from './controller.js';

/** Reports whether the error is a Conflict or NotFound: the object has changed, and a retry reads the new state. */
export const isLostRace = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 409 || error.code === 404);

/** Reports whether a retry will most likely succeed, so that no Event is recorded. */
export const isPassing = (error: unknown): boolean => error instanceof NotYet || isLostRace(error);

const joined = new WeakMap<Promise<void>, WeakMap<Promise<void>, Promise<void>>>();

/** Resolves when both have resolved. The same promises have the same result, so that a queue recognises what a key waits for already. */
function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  if (first === second) return first;
  const others = joined.get(first) ?? new WeakMap<Promise<void>, Promise<void>>();
  joined.set(first, others);
  const known = others.get(second);
  if (known) return known;
  const all = Promise.all([first, second]).then(() => undefined);
  others.set(second, all);
  return all;
}

/**
 * Returns one error for one or more failures: ReportedElsewhere if all of them are reported elsewhere; NotSynced for all that they wait for, with the
 * shortest of their timeouts, if all of them are NotSynced; NotYet if each of them is passing or reported elsewhere; an unexpected Error if one of
 * them is.
 * as apimachinery utilerrors.NewAggregate
 */
export function aggregateFailures(failures: readonly unknown[]): Error {
  const [first] = failures;
  if (failures.length === 1 && first instanceof Error) return first;
  const text = failures.length === 1 ? errorText(first) : `[${failures.map(errorText).join(', ')}]`;
  if (failures.every(failure => isReportedElsewhere(failure))) return new ReportedElsewhere(text);
  if (failures.length > 0 && failures.every(failure => failure instanceof NotSynced))
    return new NotSynced(
      text,
      failures.map(({ synced }) => synced).reduce(both),
      Math.min(...failures.map(({ timeoutMs }) => timeoutMs)),
    );
  if (failures.every(failure => isPassing(failure) || isReportedElsewhere(failure))) return new NotYet(text);
  const bug = failures.find(failure => !isExpected(failure));
  return bug === undefined ? new ExpectedError(text) : new Error(text, { cause: bug });
}
