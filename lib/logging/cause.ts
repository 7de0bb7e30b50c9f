/** Distinguishes expected failures from bugs, and describes failures. */

/** A failure that is no bug: its message is sufficient, and it is logged without a stack. */
export class ExpectedError extends Error {
  override name = 'ExpectedError';
}

/** Characters. Answers of servers and storage may be long; log lines are not. */
const maxText = 600;
/** Number of nested causes that are read. */
const maxCauses = 5;

/** Classes of programming errors, unless they have the code of a system call or connection. */
const bugClasses = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError];

const codeOf = (error: Error): unknown => (error as { code?: unknown }).code;

/** Returns whether a code of Node reports wrong arguments or states of our own code. */
const isOwnMistake = (code: string): boolean =>
  /^ERR_(?:INVALID|MISSING|OUT_OF_RANGE|METHOD|INTERNAL|ASSERTION)/.test(code);

/** Returns whether it is an error of a connection, a system call, a timeout or an abort, as opposed to a server's answer. */
export function isUnreachable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > maxCauses) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true;
  // undici's, of an answer that is no HTTP. It mostly has no code, and its `data` are the server's bytes, which must not come into the log.
  if (error.name === 'HTTPParserError') return true;
  const code = codeOf(error);
  if (typeof code === 'string' && !isOwnMistake(code)) return true;
  return typeof code !== 'number' && isUnreachable(error.cause, depth + 1);
}

/** Returns whether it is a failure that operation brings (a network error, a refusal, a lost race, an abort), and no bug. */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ExpectedError || isUnreachable(error)) return true;
  if (typeof codeOf(error) === 'number') return true; // a server's answer: a Status
  if (bugClasses.some(bug => error instanceof bug)) return false;
  return error.cause !== undefined && isExpected(error.cause);
}

/**
 * Returns whether another part logs the failure: the error or one of its causes has `isReportedElsewhere: true`. Such failures are not logged
 * again for each thing that they affect.
 */
export function isReportedElsewhere(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > maxCauses) return false;
  const { isReportedElsewhere: reported } = error as { readonly isReportedElsewhere?: unknown };
  return reported === true || isReportedElsewhere(error.cause, depth + 1);
}

function textOf(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return String(error);
  // Node tries several addresses, and gives the combined error no message.
  const own =
    error.message !== '' || !(error instanceof AggregateError)
      ? error.message
      : error.errors.map(each => textOf(each, depth + 1)).join('; ');
  const cause = error.cause === undefined || depth >= maxCauses ? '' : textOf(error.cause, depth + 1);
  if (own === '') return cause || String(codeOf(error) ?? error.name);
  return cause === '' || own.includes(cause) ? own : `${own}: ${cause}`;
}

/** Returns the beginning of a text, without keeping the whole text in memory, as a slice of it does. */
const shortCopy = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();

/** Returns what went wrong as one line of limited length: `connect ECONNREFUSED 127.0.0.1:6443`. */
export function causeText(error: unknown): string {
  const text = shortCopy(textOf(error, 0), 2 * maxText)
    // Text from outside must not look like log lines, or control a terminal.
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return text.length <= maxText ? text : `${text.slice(0, maxText)}...`;
}
