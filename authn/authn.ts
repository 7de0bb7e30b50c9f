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
import { isNode, nodeAuthorizer } from './access/node.js';
import { nodeRestriction } from './access/node-restriction.js';
import { RbacPolicy } from './access/policy.js';
import { rbacAuthorizer, rulesFor } from './access/rbac.js';
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
import { parsedFiles } from './pki/read-files.js';
import type { TokenKey } from './pki/token-key.js';
import { secrets } from '../api/kubernetes/resources.js';

interface AuthnOptions {
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
  readonly policy: RbacPolicy;
  /** Functions for the definitions of reviews, certificates and tokens. */
  readonly ports: AccessPorts;
  /** Admission plugins that check the user or its rights. None changes an object; they come after all plugins that do. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Returns the documents of `identity/service-account/documents.ts`; `address` is the server's own. */
  openIdConfiguration(address: string): Promise<object>;
  keySet(): Promise<object>;
}

/** Returns all rules of a user, without those of the node authorizer, which has no list. */
async function listRules(policy: RbacPolicy, user: Identity, namespace: string): Promise<UserRules> {
  const { rules, errors } = await rulesFor(policy, user, namespace);
  if (!isNode(user)) return { rules, errors, incomplete: false };
  return { rules, errors: ['node authorizer does not support user rule resolution', ...errors], incomplete: true };
}

const systemTime = (): Date => new Date();
const ignore = (): void => undefined;
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

/** The keys of service account tokens: at most one so far. */
class TokenKeys {
  readonly #tokenKey: TokenKey;
  #known: readonly SigningKey[] = [];

  /** Throws PkiFileError for an unusable key, so that a server with one does not start. */
  constructor(tokenKey: TokenKey) {
    this.#tokenKey = tokenKey;
    parsedFiles('sa.key', this.current);
  }

  /** Returns the same array while the keys do not change: an empty one before the key exists. */
  readonly current = (): readonly SigningKey[] => {
    if (this.#tokenKey.known !== undefined) this.#keyOf(this.#tokenKey.known);
    return this.#known;
  };

  /** Returns the key that signs, which is created if there is none. */
  async signing(): Promise<SigningKey> {
    return this.#keyOf(await this.#tokenKey.get());
  }

  #keyOf(pem: string): SigningKey {
    const [first] = this.#known;
    if (first !== undefined) return first;
    const key = signingKey(pem);
    this.#known = [key];
    return key;
  }
}

/** Returns the authenticator of bearer tokens. Audiences are those of the server. */
function tokenAuthenticator(options: AuthnOptions, issuer: string, keys: TokenKeys): TokenAuthenticator {
  const { client, now = systemTime, onError = ignore } = options;
  const lookups = lookupsOf(client);
  const audiences = [issuer];
  return tokenUnion(
    serviceAccountTokens({
      ...{ issuers: [issuer], keys: keys.current, audiences, lookups, now },
      verifications: new FairLimit(verificationLimits.concurrency, verificationLimits.queue),
      onLegacyUse: ({ metadata: { namespace = '', name = '' } }, day) =>
        void rememberUse(client(), namespace, name, day).catch(onError),
    }),
    audienceAgnostic(audiences, bootstrapTokens(lookups.secret, now)),
  );
}

/** Returns the authenticators in the order of kube-apiserver: the first one that recognises the user wins. */
function allAuthenticators(options: AuthnOptions, tokens: TokenAuthenticator): Authenticator {
  const { pki, now = systemTime, onCertificate } = options;
  const proxies = [pki.frontProxyAuthority.x509];
  const authorities = [pki.authority.x509];
  const proxy = frontProxy({ authorities: () => proxies, now, allowedNames: ['front-proxy-client'] });
  return unionAuthenticators(
    credentials => (hasUserHeader(credentials.headers) ? proxy(credentials) : undefined),
    clientCertificate({ authorities: () => authorities, now, ...(onCertificate && { onUse: onCertificate }) }),
    bearer(tokens),
    // A request that names no user can only fail here, with what is wrong with its certificate as a proxy's; so it comes last.
    credentials => (hasUserHeader(credentials.headers) ? undefined : proxy(credentials)),
  );
}

class ServerAuthn implements Authn {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly impersonate: Impersonate;
  readonly policy = new RbacPolicy();
  readonly ports: AccessPorts;
  readonly plugins: readonly AdmissionPlugin[];
  readonly #issuer: string;
  readonly #keys: TokenKeys;

  constructor(options: AuthnOptions) {
    const { pki, client, issuer = defaultIssuer, anonymous = healthPaths } = options;
    const { policy } = this;
    this.#issuer = issuer;
    this.#keys = new TokenKeys(pki.tokenKey);
    const tokens = tokenAuthenticator(options, issuer, this.#keys);
    this.authenticate = orAnonymous(withAuthenticatedGroup(allAuthenticators(options, tokens)), anonymous);
    const authorize = unionAuthorizers(
      masters,
      alwaysAllowPaths(healthPaths),
      nodeAuthorizer(policy),
      rbacAuthorizer(policy),
    );
    this.authorize = authorize;
    this.impersonate = impersonation(authorize);
    this.ports = this.#portsFor(tokens, options.maxTokenSeconds);
    this.plugins = [
      nodeRestriction(client),
      escalationCheck({ policy, authorize }),
      certificateApproval(authorize),
      certificateSigning(authorize),
      certificateSubjectRestriction,
    ];
  }

  #portsFor(tokens: TokenAuthenticator, maxTokenSeconds: number | undefined): AccessPorts {
    const audiences = [this.#issuer];
    return {
      authorize: this.authorize,
      refusalText: (user, attributes, reason) => refusal(user, attributes, reason).message,
      rulesFor: (user, namespace) => listRules(this.policy, user, namespace),
      reviewToken: tokenReviewer(tokens, audiences),
      issueToken: async order => {
        const key = await this.#keys.signing();
        return tokenIssuer({ issuer: this.#issuer, key: () => key, uuid: randomUUID })(order);
      },
      audiences,
      ...(maxTokenSeconds !== undefined && { maxTokenSeconds }),
      requestFault,
      certificateFault,
    };
  }

  async openIdConfiguration(address: string): Promise<object> {
    return openIdConfiguration(this.#issuer, `${address}${keySetPath}`, [await this.#keys.signing()]);
  }

  async keySet(): Promise<object> {
    return keySet([await this.#keys.signing()]);
  }
}

/** Creates authentication and authorization. Throws PkiFileError if the key of service account tokens is unusable. */
export const createAuthn = (options: AuthnOptions): Authn => new ServerAuthn(options);
