/** JSON Web Tokens in compact form, as far as service account tokens need them. jose signs and verifies them. */
import { JOSEError } from 'jose/errors';
import { CompactSign } from 'jose/jws/compact/sign';
import { compactVerify } from 'jose/jws/compact/verify';
import type { SigningKey, VerificationKey } from './keys.js';

export interface TokenClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  /** Seconds. */
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
  readonly [claim: string]: unknown;
}

/** Resolves with the claims as a signed token, whose header names the key by its id. */
export const signToken = ({ algorithm, id, privateKey }: SigningKey, claims: TokenClaims): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey);

/** Returns one decoded part of a token; undefined when it is invalid. */
function decoded(part: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

interface UnverifiedToken {
  readonly header: Record<string, unknown>;
  readonly claims: TokenClaims;
}

const times = ['exp', 'nbf', 'iat'] as const;
const isTime = (value: unknown): boolean => value === undefined || typeof value === 'number';

/**
 * Characters of a token. Reading one takes time before its sender is known, so that longer ones are not read.
 * differs: upstream reads as much as fits into the headers of a request
 */
export const maxTokenLength = 128 << 10;
/** Characters of a header or a signature: several times those of the largest key. */
const maxPartLength = 4 << 10;

/** Characters of base64url without padding. */
const base64url = /^[\w-]*$/;

/**
 * Returns whether this is the only spelling of a signature. Decoders ignore white space, padding and the low bits of the last character, so that one
 * valid token would have any number of spellings, each of which would be remembered.
 * differs: upstream ignores line ends and the low bits
 */
const isCanonical = (signature: string): boolean =>
  base64url.test(signature) && Buffer.from(signature, 'base64url').toString('base64url') === signature;

/**
 * Parses a token without verifying anything. Returns undefined when it has another form, when its header or signature is too long, or when it is
 * not in base64url as encoders write it.
 */
export function readToken(text: string): UnverifiedToken | undefined {
  const [head = '', body, signature, ...more] = text.split('.', 4);
  if (signature === undefined || more.length > 0) return undefined;
  if (head.length > maxPartLength || signature.length > maxPartLength) return undefined;
  if (!base64url.test(head) || !base64url.test(body ?? '') || !isCanonical(signature)) return undefined;
  const [header, claims] = [decoded(head), decoded(body)];
  if (header === undefined || claims === undefined) return undefined;
  if (!times.every(name => isTime(claims[name]))) return undefined; // a token with such a time would never expire
  return { header, claims };
}

// as go-jose ErrCryptoFailure
const cryptoFailure = 'go-jose/go-jose: error in cryptographic primitive';

/**
 * Returns the keys that may have signed a token with this header. A key id in the token selects among them, and its algorithm has to be that of
 * the key: a token cannot select another one. Throws an Error that says what is wrong when there is none.
 */
export function candidateKeys(
  { kid, alg }: UnverifiedToken['header'],
  keys: readonly VerificationKey[],
): readonly VerificationKey[] {
  const chosen = typeof kid === 'string' && kid !== '' ? keys.filter(key => key.id === kid) : keys;
  if (chosen.length === 0) throw new Error('invalid signature, no keys found');
  const fitting = chosen.filter(key => key.algorithm === alg);
  if (fitting.length === 0) throw new Error(cryptoFailure);
  return fitting;
}

async function isSignedWith({ algorithm, key }: VerificationKey, text: string): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof JOSEError) return false;
    throw error;
  }
}

/** Checks that one of these keys has signed the token. Rejects with an Error that says what is wrong. */
export async function verifyToken(token: string, candidates: readonly VerificationKey[]): Promise<void> {
  for (const key of candidates) if (await isSignedWith(key, token)) return;
  throw new Error(cryptoFailure);
}

const leewaySeconds = 60;

/** Returns '' when the token is valid at this time, with a minute of tolerance for clocks that differ. */
export function timeFault({ nbf, exp, iat }: TokenClaims, now: Date): '' | 'early' | 'expired' | 'future' {
  const seconds = Math.trunc(now.getTime() / 1000);
  if (nbf !== undefined && seconds + leewaySeconds < nbf) return 'early';
  if (exp !== undefined && seconds - leewaySeconds > exp) return 'expired';
  return iat !== undefined && seconds + leewaySeconds < iat ? 'future' : '';
}

/** Returns the milliseconds since the epoch from which on `timeFault` is 'expired'; Infinity for a token that does not expire. */
export const expiryOf = ({ exp }: TokenClaims): number =>
  exp === undefined ? Infinity : (Math.floor(exp) + leewaySeconds + 1) * 1000;
