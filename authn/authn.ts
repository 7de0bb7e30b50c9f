/** Who is let in and what he may do, put together as a server needs it. */
import { randomUUID } from 'node:crypto';
import { isNotFound } from '../apimachinery/errors/status.js';
import type { AccessPorts, UserRules } from '../registry/access.js';
import type { AdmissionPlugin } from '../registry/admission-plugin.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import { refusal } from './refusal.js';
import { alwaysAllowPaths, masters, union as anyAuthorizer } from './access/authorizers.js';
import { escalationCheck } from './access/escalation.js';
import { isNode, nodes } from './access/node.js';
import { nodeRestriction } from './access/node-restriction.js';
import { createPolicy, type Policy } from './access/policy.js';
import { rbac, rulesFor } from './access/rbac.js';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './access/signers.js';
import { healthPaths, orAnonymous } from './identity/anonymous.js';
import { audienceAgnostic } from './identity/audiences.js';
import { bearer } from './identity/bearer.js';
import { bootstrapTokens } from './identity/bootstrap-token.js';
import { clientCertificate } from './identity/client-certificate.js';
import { frontProxy, namesUser } from './identity/front-proxy.js';
import { impersonation, type Impersonate } from './identity/impersonation.js';
import { tokenReviewer } from './identity/review.js';
import { serviceAccountTokens } from './identity/service-account/authenticate.js';
import { keySet, keySetPath, openIdConfiguration } from './identity/service-account/documents.js';
import { tokenIssuer } from './identity/service-account/issue.js';
import { type SigningKey, signingKey } from './identity/service-account/keys.js';
import { lastUsedLabel } from './identity/service-account/legacy.js';
import { lookupsOf } from './identity/service-account/lookups.js';
import { tokenUnion, union, withAuthenticatedGroup } from './identity/union.js';
import type { Authenticator, Authorizer, TokenAuthenticator } from './interface.js';
import { certificateFault, requestFault } from './pki/faults.js';
import type { Pki } from './pki/files.js';
import { parsed } from './pki/read-files.js';
import { secrets } from '../api/kubernetes/resources.js';

export interface AuthnOptions {
  readonly pki: Pki;
  /** The server's own client: tokens are judged by live objects. Asked for when the first one is shown. */
  readonly client: () => Client;
  /** Of service account tokens; the server's audience as well. */
  readonly issuer?: string;
  /** Who shows nothing is let in: everywhere, or to these paths. */
  readonly anonymous?: 'all' | readonly string[];
  readonly maxTokenSeconds?: number;
  /** hot: a user was recognised by a certificate that is valid for so many seconds more. */
  readonly onCertificate?: (remaining: number) => void;
  /** The Secret of a token could not be marked as used: no reason to refuse its user. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => Date;
}

export interface Authn {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly impersonate: Impersonate;
  /** To be followed (`access/follow.ts`). */
  readonly policy: Policy;
  /** For the definitions of reviews, certificates and tokens. */
  readonly ports: AccessPorts;
  /** Admission that asks who a user is, or for rights. None changes an object; they stand after all plugins that do. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Answers for `identity/service-account/documents.ts`; `address` is the server's own. */
  openIdConfiguration(address: string): Promise<object>;
  keySet(): Promise<object>;
}

/** All rules but those of nodes, which are no list. */
function listRules(policy: Policy, user: Identity, namespace: string): UserRules {
  const { rules, errors } = rulesFor(policy, user, namespace);
  if (!isNode(user)) return { rules, errors, incomplete: false };
  return { rules, errors: ['node authorizer does not support user rule resolution', ...errors], incomplete: true };
}

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Secrets remember the day on which their tokens were last used. */
async function rememberUse(client: Client, namespace: string, name: string, day: string): Promise<void> {
  const patch = { metadata: { labels: { [lastUsedLabel]: day } } };
  try {
    await client.patch(secrets, { namespace, name }, { type: 'merge', patch });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

export function createAuthn(options: AuthnOptions): Authn {
  const { pki, client, issuer = defaultIssuer, now = () => new Date(), onError = () => undefined } = options;
  const audiences = [issuer];
  const { tokenKey } = pki;
  let key: SigningKey | undefined;
  /** Before there is one there are no tokens. */
  const keys = (): readonly SigningKey[] => {
    if (tokenKey.known !== undefined) key ??= signingKey(tokenKey.known);
    return key ? [key] : [];
  };
  parsed('sa.key', keys); // one of no use is told of at the start
  const signing = async (): Promise<SigningKey> => (key ??= signingKey(await tokenKey.get()));
  const lookups = lookupsOf({ get: (...args) => client().get(...args) });
  const agnostic = (authenticate: TokenAuthenticator): TokenAuthenticator => audienceAgnostic(audiences, authenticate);

  // The order is that of kube-apiserver: the first that knows the user wins.
  const tokens = tokenUnion(
    serviceAccountTokens({
      ...{ issuers: [issuer], keys, audiences, lookups, now },
      onLegacyUse: ({ metadata: { namespace = '', name = '' } }, day) =>
        void rememberUse(client(), namespace, name, day).catch(onError),
    }),
    agnostic(bootstrapTokens(lookups.secret, now)),
  );
  const proxies = [pki.frontProxyAuthority.x509];
  const authorities = [pki.authority.x509];
  const proxy = frontProxy({ authorities: () => proxies, now, allowedNames: ['front-proxy-client'] });
  const recognised = union(
    credentials => (namesUser(credentials.headers) ? proxy(credentials) : undefined),
    clientCertificate({
      ...{ authorities: () => authorities, now },
      ...(options.onCertificate && { onUse: options.onCertificate }),
    }),
    bearer(tokens),
    // Who names nobody can only hear what is wrong with his certificate: last of all.
    credentials => (namesUser(credentials.headers) ? undefined : proxy(credentials)),
  );

  const policy = createPolicy();
  const authorize = anyAuthorizer(masters, alwaysAllowPaths(healthPaths), nodes(policy), rbac(policy));
  return {
    authenticate: orAnonymous(withAuthenticatedGroup(recognised), options.anonymous ?? healthPaths),
    authorize,
    impersonate: impersonation(authorize),
    policy,
    ports: {
      authorize,
      refusalText: (user, attributes, reason) => refusal(user, attributes, reason).message,
      rulesFor: (user, namespace) => listRules(policy, user, namespace),
      reviewToken: tokenReviewer(tokens, audiences),
      issueToken: async order => {
        const used = await signing();
        return tokenIssuer({ issuer, key: () => used, uuid: randomUUID })(order);
      },
      audiences,
      ...(options.maxTokenSeconds !== undefined && { maxTokenSeconds: options.maxTokenSeconds }),
      requestFault,
      certificateFault,
    },
    plugins: [
      nodeRestriction(client),
      escalationCheck({ policy, authorize }),
      certificateApproval(authorize),
      certificateSigning(authorize),
      certificateSubjectRestriction,
    ],
    openIdConfiguration: async address => openIdConfiguration(issuer, `${address}${keySetPath}`, [await signing()]),
    keySet: async () => keySet([await signing()]),
  };
}
