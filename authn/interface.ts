/** Who you are and what you may do. Authenticators and authorizers are functions; a list of them is one of them (`union`). */
import type { Identity } from '../apimachinery/identity.js';

/** Header names are lower-case; a header that came several times is a list, never joined (`identity/headers.ts`). */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What an authenticator may look at. */
export interface Credentials {
  readonly headers: Headers;
  /** The path of the request, without query; only who is let in anonymously depends on it. */
  readonly path?: string;
  /** DER of the client certificate of the connection, verified by nobody yet; read once per socket. */
  readonly certificate: Uint8Array | undefined;
}

/** undefined: no opinion. A credential that is present and wrong rejects with Unauthorized. */
export type Authenticator = (credentials: Credentials) => Promise<Identity | undefined> | Identity | undefined;

/** Whose token it is. `audiences`: those asked for that it is good for; absent when the token names none. */
export interface TokenAnswer {
  readonly identity: Identity;
  readonly audiences?: readonly string[];
}

/**
 * Judges a bearer token for audiences (empty: those of this server). undefined: not a token of this kind.
 * A token of this kind that is wrong (expired, forged, revoked) rejects.
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
) => Promise<TokenAnswer | undefined> | TokenAnswer | undefined;

export type { Attributes, Authorizer, Decision } from '../registry/access.js';
