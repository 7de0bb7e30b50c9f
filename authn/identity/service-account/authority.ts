import type { Pki } from '../../pki/files.js';
import { legacyToken, type LegacyOrder } from './issue.js';
import { signingKey } from './keys.js';

/** What fills Secrets with tokens needs of a server: whom holders may trust, and a signature. */
export async function tokenAuthority({ authority, serviceAccountKey }: Pki): Promise<{
  readonly authority: string;
  issue(order: LegacyOrder): string;
}> {
  const key = signingKey(await serviceAccountKey);
  return { authority: authority.certificate, issue: order => legacyToken(key, order) };
}
