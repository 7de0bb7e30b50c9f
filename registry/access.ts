/** What the registry asks about users: who they are and what they may do. Types only; the answers are authn's. */
import type { Identity } from '../apimachinery/identity.js';

/** What is asked for: a resource, or a path that is none. */
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

export type Decision = { readonly allowed: boolean; readonly denied?: boolean; readonly reason: string };

export type Authorizer = (user: Identity, attributes: Attributes) => Promise<Decision> | Decision;

/** Everything a user may do in a namespace, as far as it can be listed. */
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

/** What became of a token that was shown: whose it is, or what is wrong with it. */
export type TokenVerdict =
  { readonly identity: Identity; readonly audiences: readonly string[] } | { readonly error: string };

/** The object that a token lives and dies with. */
export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

/** What a service account token shall say. */
export interface TokenOrder {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Seconds after which its use is counted as stale; absent: never. */
  readonly warnAfterSeconds?: number;
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
  readonly now: Date;
}

/** What the kinds of authentication, authorization and certificates need of the server they are served by. */
export interface AccessPorts {
  readonly authorize: Authorizer;
  /** What somebody is told who may not; `reason`: the decision's. */
  refusalText(user: Identity, attributes: Attributes, reason: string): string;
  rulesFor(user: Identity, namespace: string): Promise<UserRules> | UserRules;
  /** `audiences`: those that the token must be good for, one of them at least; empty: those of this server. */
  reviewToken(token: string, audiences: readonly string[]): Promise<TokenVerdict>;
  /** Signs a service account token. */
  issueToken(order: TokenOrder): Promise<string> | string;
  /** Audiences of this server: of tokens that ask for none. */
  readonly audiences: readonly string[];
  /** The longest life of a requested token in seconds; absent: 2^32. */
  readonly maxTokenSeconds?: number;
  /** What is wrong with a PEM certificate request, its signature included; undefined when nothing is. */
  requestFault(pem: string): string | undefined;
  /** What is wrong with a PEM bundle of certificates; undefined when nothing is. */
  certificateFault(pem: string): string | undefined;
}
