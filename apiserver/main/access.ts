/** Who is let in, and what he may do. */
import { alwaysAllowPaths, masters, union as anyAuthorizer } from '../../authn/access/authorizers.js';
import { createPolicy, type Policy } from '../../authn/access/policy.js';
import { rbac, rulesFor } from '../../authn/access/rbac.js';
import { healthPaths, orAnonymous } from '../../authn/identity/anonymous.js';
import { clientCertificate } from '../../authn/identity/client-certificate.js';
import { type Impersonate, impersonation } from '../../authn/identity/impersonation.js';
import { union, withAuthenticatedGroup } from '../../authn/identity/union.js';
import { certificateFault, requestFault } from '../../authn/pki/faults.js';
import type { Authenticator, Authorizer } from '../../authn/interface.js';
import type { Pki } from '../../authn/pki/files.js';
import type { AccessPorts } from '../../registry/access.js';

export interface Access {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly impersonate: Impersonate;
  readonly policy: Policy;
  readonly ports: AccessPorts;
}

export function createAccess(pki: Pki, anonymous: boolean): Access {
  const policy = createPolicy();
  const authorities = [pki.authority.x509];
  const known = union(clientCertificate({ authorities: () => authorities, now: () => new Date() }));
  const authenticate = orAnonymous(withAuthenticatedGroup(known), anonymous ? 'all' : healthPaths);
  const authorize = anyAuthorizer(masters, alwaysAllowPaths(healthPaths), rbac(policy));
  const ports: AccessPorts = {
    authorize,
    rulesFor: (user, namespace) => ({ ...rulesFor(policy, user, namespace), incomplete: true }),
    reviewToken: () => Promise.resolve({ error: 'invalid bearer token' }),
    issueToken: () => {
      throw new Error('no tokens yet');
    },
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    requestFault,
    certificateFault,
  };
  return { authenticate, authorize, impersonate: impersonation(authorize), policy, ports };
}
