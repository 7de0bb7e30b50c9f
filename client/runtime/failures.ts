import { ExpectedError, isExpected } from '../../lib/logging/cause.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { NotYet } from './controller.js';

/** What was to be written has changed or gone meanwhile: the next try reads the new state. */
export const isLostRace = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 409 || error.code === 404);

/** The next try will most likely succeed: no Event tells of it. */
export const isPassing = (error: unknown): boolean => error instanceof NotYet || isLostRace(error);

/** Several failures (at least one) as one error: one that passes if all of them do, a bug if one of them is. as apimachinery utilerrors.NewAggregate */
export function aggregateFailures(failures: readonly unknown[]): Error {
  const [first] = failures;
  if (failures.length === 1 && first instanceof Error) return first;
  const text = failures.length === 1 ? errorText(first) : `[${failures.map(errorText).join(', ')}]`;
  if (failures.every(isPassing)) return new NotYet(text);
  const bug = failures.find(failure => !isExpected(failure));
  return bug === undefined ? new ExpectedError(text) : new Error(text, { cause: bug });
}
