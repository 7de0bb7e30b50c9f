/** Who you are and what you may do. Authenticators and authorizers are functions; a list of them is one of them (`union`). */
import type { Identity } from '../registry/interface.js';

/** What an authenticator may look at. Header names are lower-case. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** DER of the client certificate of the connection, verified by nobody yet; read once per socket. */
  readonly certificate: Uint8Array | undefined;
}

/** undefined: no opinion. A credential that is present and wrong rejects with Unauthorized. */
export type Authenticator = (credentials: Credentials) => Promise<Identity | undefined> | Identity | undefined;

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
