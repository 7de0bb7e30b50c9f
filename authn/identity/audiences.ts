/** Whom a token is meant for. */
import type { TokenAuthenticator } from '../interface.js';

/** The audiences of `given` that are among `wanted`, in the order given. */
export const commonAudiences = (given: readonly string[], wanted: readonly string[]): readonly string[] =>
  given.filter(audience => wanted.includes(audience));

/**
 * Tokens that know no audiences are good for this server's own only. No opinion when others are asked for.
 * as staging/src/k8s.io/apiserver/pkg/authentication/authenticator/audagnostic.go
 */
export function audienceAgnostic(own: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  return async (token, audiences) => {
    const common = audiences.length === 0 ? own : commonAudiences(own, audiences);
    if (common.length === 0) return undefined;
    const answer = await authenticate(token, audiences);
    return answer && { ...answer, audiences: common };
  };
}
