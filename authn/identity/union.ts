/** Combines several authenticators into one. */
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { isTooManyRequests } from '../../apimachinery/errors/status.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Authenticator, Credentials, TokenAuthenticator } from '../interface.js';
import { QueueFullError } from '../../lib/fair-limit.js';
import { andThen, settle } from '../../lib/maybe.js';
import { systemAuthenticated, systemUnauthenticated, anonymousName } from './system-users.js';

/**
 * Returns the first user that is recognised, even when an earlier authenticator failed; otherwise throws the first error. as
 * staging/src/k8s.io/apiserver/pkg/authentication/request/union
 * A 429 takes precedence over other errors, so that the client tries again: its credentials may be valid.
 *
 * hot: makes no promise unless an authenticator returns one.
 */
export function unionAuthenticators(...authenticators: readonly Authenticator[]): Authenticator {
  const from = (at: number, credentials: Credentials, failure: Error | undefined): ReturnType<Authenticator> => {
    const authenticate = authenticators[at];
    if (authenticate === undefined) {
      if (failure !== undefined) throw failure;
      return undefined;
    }
    return settle(
      () => authenticate(credentials),
      identity => identity ?? from(at + 1, credentials, failure),
      error => from(at + 1, credentials, failureOf(failure, error)),
    );
  };
  return credentials => from(0, credentials, undefined);
}

/**
 * Combines token authenticators as `unionAuthenticators` does, but throws all errors. An authenticator that is too busy ends the search, since
 * the token may be valid for it.
 *
 * hot: makes no promise unless an authenticator returns one.
 */
export function tokenUnion(...authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return (token, audiences, client) => {
    const from = (at: number, failures: readonly Error[]): ReturnType<TokenAuthenticator> => {
      const authenticate = authenticators[at];
      if (authenticate === undefined) return refuse(failures);
      return settle(
        () => authenticate(token, audiences, client),
        answer => answer ?? from(at + 1, failures),
        error => {
          if (error instanceof QueueFullError) throw error;
          return from(at + 1, [...failures, asError(error)]);
        },
      );
    };
    return from(0, []);
  };
}

/** Throws the errors as one; returns undefined when there are none. */
function refuse(failures: readonly Error[]): undefined {
  const [only] = failures;
  if (only === undefined) return undefined;
  if (failures.length === 1) throw only;
  throw new AggregateError(failures, aggregate(failures.map(failure => failure.message)));
}

/** Returns what a request fails with after an earlier failure, if any, and the error of the next authenticator. */
function failureOf(earlier: Error | undefined, error: unknown): Error {
  const takesPrecedence = isTooManyRequests(error) && !isTooManyRequests(earlier);
  return earlier === undefined || takesPrecedence ? asError(error) : earlier;
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Adds system:authenticated to every user that is recognised, as the last group. */
export function withAuthenticatedGroup(authenticate: Authenticator): Authenticator {
  const known = new WeakMap<Identity, Identity>();
  return credentials =>
    andThen(authenticate(credentials), identity => {
      if (identity === undefined) return undefined;
      let extended = known.get(identity);
      if (extended === undefined) known.set(identity, (extended = withGroup(identity)));
      return extended;
    });
}

/** Returns the user with the group system:authenticated. */
export function withGroup(identity: Identity): Identity {
  const { name, groups } = identity;
  if (name === anonymousName || groups.includes(systemAuthenticated) || groups.includes(systemUnauthenticated))
    return identity;
  return { ...identity, groups: [...groups, systemAuthenticated] };
}
