/** Those who show nothing. */
import type { Identity } from '../../apimachinery/identity.js';
import type { Authenticator } from '../interface.js';
import { andThen } from '../../lib/maybe.js';
import { anonymousName, systemUnauthenticated } from './union.js';

const anonymousIdentity: Identity = { name: anonymousName, groups: [systemUnauthenticated] };

/** Paths that say nothing of value, asked for by load balancers and by those who wait for a server. */
export const healthPaths: readonly string[] = ['/healthz', '/livez', '/readyz'];

/**
 * Lets in as system:anonymous who shows no credentials at all: everywhere, or on these paths only (exact). Stands around the union of
 * the others, not in it: a wrong credential is refused, never anonymous.
 */
export function orAnonymous(authenticate: Authenticator, paths: 'all' | readonly string[]): Authenticator {
  return credentials =>
    andThen(authenticate(credentials), identity => {
      if (identity !== undefined) return identity;
      return paths === 'all' || paths.includes(credentials.path ?? '') ? anonymousIdentity : undefined;
    });
}
