/** Compares the audiences of tokens. */
import type { TokenAuthenticator } from '../interface.js';

/** Returns the audiences of `given` that are among `wanted`, in the given order. */
export const commonAudiences = (given: readonly string[], wanted: readonly string[]): readonly string[] =>
  given.filter(audience => wanted.includes(audience));

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
