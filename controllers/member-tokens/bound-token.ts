import { JOSEError } from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';

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
  const { sub, iat, exp } = claimsOf(token) ?? {};
  const [, namespace, account] = (typeof sub === 'string' && subject.exec(sub)) || [];
  if (namespace === undefined || account === undefined || !isSeconds(iat) || !isSeconds(exp)) return undefined;
  return { namespace, account, issuedAt: iat * 1000, expiresAt: exp * 1000 };
}

function claimsOf(token: string): ReturnType<typeof decodeJwt> | undefined {
  if (token.length > maxLength) return undefined;
  try {
    return decodeJwt(token);
  } catch (error) {
    if (error instanceof JOSEError) return undefined;
    throw error;
  }
}

const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
