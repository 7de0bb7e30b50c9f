/** Tells failures that are part of operation from bugs, and says in words what went wrong. */

/** A failure that is no bug: its message tells all there is to know, and it is logged without a stack. */
export class ExpectedError extends Error {
  override name = 'ExpectedError';
}

/** Answers of servers and of storage may be long; a line of the log is not. */
const longestText = 600;
/** How many causes of causes are looked at. */
const deepest = 5;

/** What programming errors are instances of, unless they carry the code of a system call or of a connection. */
const bugClasses = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError];

const codeOf = (error: Error): unknown => (error as { code?: unknown }).code;

/** Node's codes for wrong arguments and wrong states of our own code. */
const isOwnMistake = (code: string): boolean =>
  /^ERR_(?:INVALID|MISSING|OUT_OF_RANGE|METHOD|INTERNAL|ASSERTION)/.test(code);

/** An error of a connection, a system call, a timeout or an abort, as opposed to an answer of a server. */
export function isUnreachable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > deepest) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  const code = codeOf(error);
  if (typeof code === 'string' && !isOwnMistake(code)) return true;
  return typeof code !== 'number' && isUnreachable(error.cause, depth + 1);
}

/** Is it a failure that operation brings (a network error, an answer that refuses, a lost race, an abort), and no bug? */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ExpectedError || isUnreachable(error)) return true;
  if (typeof codeOf(error) === 'number') return true; // an answer of a server: a Status
  if (bugClasses.some(bug => error instanceof bug)) return false;
  return error.cause !== undefined && isExpected(error.cause);
}

function textOf(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return String(error);
  // Node tries several addresses and says nothing of its own about them.
  const own =
    error.message !== '' || !(error instanceof AggregateError)
      ? error.message
      : error.errors.map(each => textOf(each, depth + 1)).join('; ');
  const cause = error.cause === undefined || depth >= deepest ? '' : textOf(error.cause, depth + 1);
  if (own === '') return cause || String(codeOf(error) ?? error.name);
  return cause === '' || own.includes(cause) ? own : `${own}: ${cause}`;
}

/** What went wrong, on one line of bounded length: `connect ECONNREFUSED 127.0.0.1:6443`. */
export function causeText(error: unknown): string {
  const text = textOf(error, 0)
    .slice(0, 2 * longestText)
    // What others sent must not look like lines of the log, nor steer a terminal.
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return text.length <= longestText ? text : `${text.slice(0, longestText)}...`;
}
