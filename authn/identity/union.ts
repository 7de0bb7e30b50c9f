/** Several authenticators as one. */
import type { Identity } from '../../registry/interface.js';
import type { Authenticator, TokenAuthenticator } from '../interface.js';

/**
 * The first that knows the user wins, even when an earlier one was shown something wrong; when none does, what was wrong is thrown.
 * as staging/src/k8s.io/apiserver/pkg/authentication/request/union
 */
export function union(...authenticators: readonly Authenticator[]): Authenticator {
  return async credentials => {
    let failure: Error | undefined;
    for (const authenticate of authenticators) {
      try {
        const identity = await authenticate(credentials);
        if (identity !== undefined) return identity;
      } catch (error) {
        failure ??= asError(error);
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  };
}

/** As `union`, for tokens. */
export function tokenUnion(...authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return async (token, audiences) => {
    let failure: Error | undefined;
    for (const authenticate of authenticators) {
      try {
        const answer = await authenticate(token, audiences);
        if (answer !== undefined) return answer;
      } catch (error) {
        failure ??= asError(error);
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
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
  return async credentials => {
    const identity = await authenticate(credentials);
    return identity && addGroup(identity, known);
  };
}

function addGroup(identity: Identity, known: WeakMap<Identity, Identity>): Identity {
  if (identity.name === anonymousName || identity.groups.includes(systemAuthenticated)) return identity;
  if (identity.groups.includes(systemUnauthenticated)) return identity;
  let extended = known.get(identity);
  if (extended === undefined) {
    extended = { ...identity, groups: [...identity.groups, systemAuthenticated] };
    known.set(identity, extended);
  }
  return extended;
}
