import { isMap } from '../../lib/json/is-map.js';

/** What a token of a ServiceAccount says about itself. Times are in milliseconds since the epoch. */
export interface BoundToken {
  readonly namespace: string;
  readonly account: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Characters, above which a text is no token. */
const maxLength = 32 * 1024;
const subject = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Returns what a token says, unverified; undefined for one without expiry, as those in Secrets, and for what is no token of a ServiceAccount. */
export function readBoundToken(token: string): BoundToken | undefined {
  const [, payload, signature] = token.length <= maxLength ? token.split('.') : [];
  if (payload === undefined || signature === undefined) return undefined;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isMap(claims)) return undefined;
  const { sub, iat, exp } = claims;
  const [, namespace, account] = (typeof sub === 'string' && subject.exec(sub)) || [];
  if (namespace === undefined || account === undefined || !isSeconds(iat) || !isSeconds(exp)) return undefined;
  return { namespace, account, issuedAt: iat * 1000, expiresAt: exp * 1000 };
}

const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
