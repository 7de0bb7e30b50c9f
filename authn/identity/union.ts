/** Several authenticators as one. */
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Authenticator, Credentials, TokenAuthenticator } from '../interface.js';
import { andThen, settle } from '../../lib/maybe.js';

/**
 * The first that knows the user wins, even when an earlier one was shown something wrong; when none does, what was wrong is thrown.
 * as staging/src/k8s.io/apiserver/pkg/authentication/request/union
 * hot: makes no promise while none of them makes one.
 */
export function union(...authenticators: readonly Authenticator[]): Authenticator {
  const from = (at: number, credentials: Credentials, failure: Error | undefined): ReturnType<Authenticator> => {
    const authenticate = authenticators[at];
    if (authenticate === undefined) {
      if (failure !== undefined) throw failure;
      return undefined;
    }
    return settle(
      () => authenticate(credentials),
      identity => identity ?? from(at + 1, credentials, failure),
      error => from(at + 1, credentials, failure ?? asError(error)),
    );
  };
  return credentials => from(0, credentials, undefined);
}

/** As `union`, for tokens; when several are wrong in different ways, all of them are told. */
export function tokenUnion(...authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return async (token, audiences) => {
    const failures: Error[] = [];
    for (const authenticate of authenticators) {
      try {
        const answer = await authenticate(token, audiences);
        if (answer !== undefined) return answer;
      } catch (error) {
        failures.push(asError(error));
      }
    }
    const [only] = failures;
    if (only === undefined) return undefined;
    if (failures.length === 1) throw only;
    throw new AggregateError(failures, aggregate(failures.map(failure => failure.message)));
  };
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export const systemAuthenticated = 'system:authenticated';
export const systemUnauthenticated = 'system:unauthenticated';
export const systemMasters = 'system:masters';
export const anonymousName = 'system:anonymous';

/** Whoever was recognised is of the group system:authenticated, as its last. */
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

/** The user with the group of all who were recognised. */
export function withGroup(identity: Identity): Identity {
  const { name, groups } = identity;
  if (name === anonymousName || groups.includes(systemAuthenticated) || groups.includes(systemUnauthenticated))
    return identity;
  return { ...identity, groups: [...groups, systemAuthenticated] };
}
