/** Interfaces to authentication and authorization, implemented by authn. */
import type { Identity } from '../apimachinery/identity.js';
import type { Maybe } from '../lib/maybe.js';

/** Attributes of a request for authorization: a resource or a non-resource path. */
export type Attributes =
  | {
      readonly type: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly labelSelector?: string;
      readonly fieldSelector?: string;
    }
  | { readonly type: 'path'; readonly verb: string; readonly path: string };

export type AuthorizationDecision = { readonly allowed: boolean; readonly denied?: boolean; readonly reason: string };

export type Authorizer = (user: Identity, attributes: Attributes) => Maybe<AuthorizationDecision>;

/** The rules of a user in a namespace, as far as they can be listed. */
export interface UserRules {
  readonly rules: readonly {
    readonly verbs?: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
  }[];
  /** Some rules cannot be listed. */
  readonly incomplete: boolean;
  readonly errors: readonly string[];
}

/** Result of a token review: the identity, or an error. */
type TokenVerdict = { readonly identity: Identity; readonly audiences: readonly string[] } | { readonly error: string };

/** The object to whose existence a token is bound. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

/** Claims of a service account token to be issued. */
export interface TokenOrder {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Seconds after which its use is counted as stale; absent for never. */
  readonly warnAfterSeconds?: number;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
  readonly now: Date;
}

/** Functions of the server that the kinds of authentication, authorization and certificates use. */
export interface AccessPorts {
  readonly authorize: Authorizer;
  /** Returns the message of a refusal; `reason` is that of the decision. */
  refusalText(user: Identity, attributes: Attributes, reason: string): string;
  rulesFor(user: Identity, namespace: string): Maybe<UserRules>;
  /**
   * Reviews a token for the user `reviewer`. It must be valid for one of `audiences`; if empty, for one of this server. While many tokens wait for
   * their verification, reviewers take turns. Rejects with 429 when too many wait.
   */
  reviewToken(token: string, audiences: readonly string[], reviewer: string): Promise<TokenVerdict>;
  /** Signs a service account token. */
  issueToken(order: TokenOrder): Maybe<string>;
  /** Audiences of this server, for tokens without requested audiences. */
  readonly audiences: readonly string[];
  /** Maximum lifetime of a requested token in seconds; absent for 2^32. */
  readonly maxTokenSeconds?: number;
  /** Returns the fault of a PEM certificate request, including its signature; undefined if valid. */
  requestFault(pem: string): string | undefined;
  /** Returns the fault of a PEM bundle of certificates; undefined if valid. */
  certificateFault(pem: string): string | undefined;
}
