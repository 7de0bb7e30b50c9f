/**
 * Authentication and authorization. Authenticators and authorizers are functions; `unionAuthenticators` (`identity/union.ts`) and
 * `unionAuthorizers` (`access/authorizers.ts`) combine several into one.
 */
import type { Identity } from '../apimachinery/identity.js';
import type { Maybe } from '../lib/maybe.js';

/** Header names are in lower case; a repeated header is a list, never joined (`identity/headers.ts`). */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What authenticators use. */
export interface Credentials {
  readonly headers: Headers;
  /** The path of the request, without query; only anonymous access depends on it. */
  readonly path?: string;
  /** The client certificate of the connection (DER), not verified yet; read once per socket. */
  readonly certificate: Uint8Array | undefined;
  /** Identifies the connection, by the object: while many tokens wait for their verification, clients take turns. */
  readonly connection?: TokenConnection;
}

/** A connection that tokens arrive on. */
export interface TokenConnection {
  /** The network of its address, as `networkOf` in `apiserver/http/connections/peer.ts` has it: anyone there can open many connections. */
  readonly network: string;
}

/** The sender of a token: its connection, or a name of its own. */
export type TokenClient = TokenConnection | string;

/** Returns undefined when it has no opinion. Rejects a wrong credential with Unauthorized. */
export type Authenticator = (credentials: Credentials) => Maybe<Identity | undefined>;

/** The user of a token. `audiences`: the requested ones that the token is valid for; absent when the token names none. */
export interface TokenAnswer {
  readonly identity: Identity;
  readonly audiences?: readonly string[];
}

/**
 * Checks a bearer token for audiences (empty: those of this server). Returns undefined for a token of another kind, and rejects an invalid one
 * (expired, forged, revoked). Rejects with QueueFullError when it is too busy to tell. While many
 * tokens wait for their verification, networks take turns, and in the turn of each its clients do.
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
  client?: TokenClient,
) => Maybe<TokenAnswer | undefined>;

export type { Attributes, Authorizer, AuthorizationDecision as Decision } from '../registry/access.js';
