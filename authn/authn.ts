/** Assembles authentication and authorization for a server. */
import { randomUUID } from 'node:crypto';
import { FairLimit } from '../lib/fair-limit.js';
import { isNotFound } from '../apimachinery/errors/status.js';
import type { AccessPorts, UserRules } from '../registry/access.js';
import type { AdmissionPlugin } from '../registry/admission-plugin.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import { refusal } from './refusal.js';
import { alwaysAllowPaths, masters, unionAuthorizers } from './access/authorizers.js';
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
import { frontProxy, hasUserHeader } from './identity/front-proxy.js';
import { impersonation, type Impersonate } from './identity/impersonation.js';
import { tokenReviewer } from './identity/review.js';
import { serviceAccountTokens } from './identity/service-account/authenticate.js';
import { keySet, keySetPath, openIdConfiguration } from './identity/service-account/documents.js';
import { tokenIssuer } from './identity/service-account/issue.js';
import { type SigningKey, signingKey } from './identity/service-account/keys.js';
import { lastUsedLabel } from './identity/service-account/legacy.js';
import { lookupsOf } from './identity/service-account/lookups.js';
import { tokenUnion, unionAuthenticators, withAuthenticatedGroup } from './identity/union.js';
import { verificationLimits } from './identity/verified-tokens.js';
import type { Authenticator, Authorizer, TokenAuthenticator } from './interface.js';
import { certificateFault, requestFault } from './pki/faults.js';
import type { Pki } from './pki/files.js';
import { parsed } from './pki/read-files.js';
import type { TokenKey } from './pki/token-key.js';
import { secrets } from '../api/kubernetes/resources.js';

export interface AuthnOptions {
  readonly pki: Pki;
  /** Returns the server's own client, which reads the objects that tokens depend on; called for the first token. */
  readonly client: () => Client;
  /** The issuer of service account tokens, which is the server's audience, too. */
  readonly issuer?: string;
  /** Where requests without credentials are allowed as system:anonymous: everywhere, or on these paths. */
  readonly anonymous?: 'all' | readonly string[];
  readonly maxTokenSeconds?: number;
  /** hot: called when a client certificate authenticated a user; it is valid for so many more seconds. */
  readonly onCertificate?: (remaining: number) => void;
  /** Called when the Secret of a token could not be marked as used, which does not refuse the user. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => Date;
}

export interface Authn {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly impersonate: Impersonate;
  /** The policy, which has to be filled (`access/follow.ts`). */
  readonly policy: Policy;
  /** Functions for the definitions of reviews, certificates and tokens. */
  readonly ports: AccessPorts;
  /** Admission plugins that check the user or its rights. None changes an object; they come after all plugins that do. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Returns the documents of `identity/service-account/documents.ts`; `address` is the server's own. */
  openIdConfiguration(address: string): Promise<object>;
  keySet(): Promise<object>;
}

/** Returns all rules of a user, without those of the node authorizer, which has no list. */
function listRules(policy: Policy, user: Identity, namespace: string): UserRules {
  const { rules, errors } = rulesFor(policy, user, namespace);
  if (!isNode(user)) return { rules, errors, incomplete: false };
  return { rules, errors: ['node authorizer does not support user rule resolution', ...errors], incomplete: true };
}

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Labels the Secret of a token with the day of its last use. */
async function rememberUse(client: Client, namespace: string, name: string, day: string): Promise<void> {
  const patch = { metadata: { labels: { [lastUsedLabel]: day } } };
  try {
    await client.patch(secrets, { namespace, name }, { type: 'merge', patch });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Throws PkiFileError for an unusable key, so that a server with one does not start. */
function tokenKeys(tokenKey: TokenKey): {
  /** Returns the same array while the keys do not change: an empty one before the key exists. */
  readonly keys: () => readonly SigningKey[];
  /** Returns the key that signs, which is created if there is none. */
  readonly signing: () => Promise<SigningKey>;
} {
  let known: readonly SigningKey[] = [];
  const keyOf = (pem: string): SigningKey => {
    const [first] = known;
    if (first !== undefined) return first;
    const key = signingKey(pem);
    known = [key];
    return key;
  };
  const keys = (): readonly SigningKey[] => {
    if (tokenKey.known !== undefined) keyOf(tokenKey.known);
    return known;
  };
  parsed('sa.key', keys);
  return { keys, signing: async () => keyOf(await tokenKey.get()) };
}

export function createAuthn(options: AuthnOptions): Authn {
  const { pki, client, issuer = defaultIssuer, now = () => new Date(), onError = () => undefined } = options;
  const audiences = [issuer];
  const { keys, signing } = tokenKeys(pki.tokenKey);
  const lookups = lookupsOf(client);
  const verifications = new FairLimit(verificationLimits.concurrency, verificationLimits.queue);
  const withOwnAudiences = (authenticate: TokenAuthenticator): TokenAuthenticator =>
    audienceAgnostic(audiences, authenticate);

  // The order is that of kube-apiserver: the first authenticator that recognises the user wins.
  const tokens = tokenUnion(
    serviceAccountTokens({
      ...{ issuers: [issuer], keys, audiences, lookups, now, verifications },
      onLegacyUse: ({ metadata: { namespace = '', name = '' } }, day) =>
        void rememberUse(client(), namespace, name, day).catch(onError),
    }),
    withOwnAudiences(bootstrapTokens(lookups.secret, now)),
  );
  const proxies = [pki.frontProxyAuthority.x509];
  const authorities = [pki.authority.x509];
  const proxy = frontProxy({ authorities: () => proxies, now, allowedNames: ['front-proxy-client'] });
  const authenticated = unionAuthenticators(
    credentials => (hasUserHeader(credentials.headers) ? proxy(credentials) : undefined),
    clientCertificate({
      ...{ authorities: () => authorities, now },
      ...(options.onCertificate && { onUse: options.onCertificate }),
    }),
    bearer(tokens),
    // A request that names no user can only fail here, with what is wrong with its certificate as a proxy's; so it comes last.
    credentials => (hasUserHeader(credentials.headers) ? undefined : proxy(credentials)),
  );

  const policy = createPolicy();
  const authorize = unionAuthorizers(masters, alwaysAllowPaths(healthPaths), nodes(policy), rbac(policy));
  return {
    authenticate: orAnonymous(withAuthenticatedGroup(authenticated), options.anonymous ?? healthPaths),
    authorize,
    impersonate: impersonation(authorize),
    policy,
    ports: {
      authorize,
      refusalText: (user, attributes, reason) => refusal(user, attributes, reason).message,
      rulesFor: (user, namespace) => listRules(policy, user, namespace),
      reviewToken: tokenReviewer(tokens, audiences),
      issueToken: async order => {
        const signingKeyInUse = await signing();
        return tokenIssuer({ issuer, key: () => signingKeyInUse, uuid: randomUUID })(order);
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
