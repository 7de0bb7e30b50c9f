/** Authenticates requests without credentials. */
import type { Identity } from '../../apimachinery/identity.js';
import type { Authenticator } from '../interface.js';
import { andThen } from '../../lib/maybe.js';
import { anonymousName, systemUnauthenticated } from './system-users.js';

const anonymousIdentity: Identity = { name: anonymousName, groups: [systemUnauthenticated] };

/** Paths without confidential information, which load balancers and readiness checks use. */
export const healthPaths: readonly string[] = ['/healthz', '/livez', '/readyz'];

/**
 * Authenticates requests without credentials as system:anonymous: everywhere, or on these exact paths only. It wraps the union of the other
 * authenticators, since a request with a wrong credential is refused, never anonymous.
 */
export function orAnonymous(authenticate: Authenticator, paths: 'all' | readonly string[]): Authenticator {
  return credentials =>
    andThen(authenticate(credentials), identity => {
      if (identity !== undefined) return identity;
      return paths === 'all' || paths.includes(credentials.path ?? '') ? anonymousIdentity : undefined;
    });
}
