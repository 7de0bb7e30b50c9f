import type { Pki } from '../../pki/files.js';
import { legacyToken, type LegacyOrder } from './issue.js';
import { signingKey } from './keys.js';

/** Returns what the token controller needs from a server: the CA certificates for clients, and signed tokens. */
export function tokenAuthority({ authority, tokenKey }: Pki): {
  readonly caBundle: string;
  issue(order: LegacyOrder): Promise<string>;
} {
  return {
    caBundle: authority.certificate,
    issue: async order => legacyToken(signingKey(await tokenKey.get()), order),
  };
}
