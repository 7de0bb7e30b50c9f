/** Compares the audiences of tokens. */
import type { TokenAuthenticator } from '../interface.js';

/** Audiences up to which a search for one of them takes less time than a Set would. */
const few = 8;

/**
 * Returns the audiences of `given` that are among `wanted`, in the given order. A token may have 10,000 of them, and a TokenReview may ask for
 * 50,000.
 */
export function commonAudiences(given: readonly string[], wanted: readonly string[]): readonly string[] {
  if (given.length <= few || wanted.length <= few) return given.filter(audience => wanted.includes(audience));
  const asked = new Set(wanted);
  return given.filter(audience => asked.has(audience));
}

/**
 * Accepts tokens without audiences for this server's own audiences. Has no opinion when only others are requested. as
 * staging/src/k8s.io/apiserver/pkg/authentication/authenticator/audagnostic.go
 */
export function audienceAgnostic(own: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  return async (token, audiences, connection) => {
    const common = audiences.length === 0 ? own : commonAudiences(own, audiences);
    if (common.length === 0) return undefined;
    const answer = await authenticate(token, audiences, connection);
    return answer && { ...answer, audiences: common };
  };
}
