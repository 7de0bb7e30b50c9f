import type { Pki } from '../../pki/files.js';
import { legacyToken, type LegacyOrder } from './issue.js';
import { signingKey } from './keys.js';

/** What fills Secrets with tokens needs of a server: whom holders may trust, and a signature. */
export function tokenAuthority({ authority, tokenKey }: Pki): {
  readonly authority: string;
  issue(order: LegacyOrder): Promise<string>;
} {
  return {
    authority: authority.certificate,
    issue: async order => legacyToken(signingKey(await tokenKey.get()), order),
  };
}
