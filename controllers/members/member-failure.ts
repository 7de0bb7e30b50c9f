import { errorText } from '../../apimachinery/errors/error-text.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { GroupFailure } from '../../client/runtime/controller.js';
import { retryAfterMs } from '../../client/runtime/retry-after.js';
import { isUnreachable } from '../../lib/logging/cause.js';

/** Codes that concern all requests to a member: refused credentials, overload, and a server that is not there. */
const codesOfAll: ReadonlySet<number> = new Set([401, 429, 503]);

const isOfMember = (error: unknown): boolean =>
  isUnreachable(error) || (error instanceof StatusError && codesOfAll.has(error.code));

/** Returns the failure of the whole member that all of these failures show; undefined if one of them may concern only its object. */
export function memberFailure(failures: readonly unknown[], message: string): GroupFailure | undefined {
  if (!failures.every(isOfMember)) return undefined;
  return new GroupFailure(message, {
    // The cluster status controller reports an outage.
    isReportedElsewhere: failures.every(error => isUnreachable(error)),
    retryAfterMs: Math.max(...failures.map(retryAfterMs)),
  });
}

/** Throws the failure of the whole member that the error shows, or the error. */
export function refuseMember(error: unknown): never {
  throw memberFailure([error], errorText(error)) ?? error;
}
