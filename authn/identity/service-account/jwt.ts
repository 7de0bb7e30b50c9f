/** JSON Web Tokens in compact form, as far as service account tokens need them. */
import { signBytes, verifyBytes, type SigningKey, type VerificationKey } from './keys.js';

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

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signToken(key: SigningKey, claims: TokenClaims): string {
  const head = encoded({ alg: key.algorithm.name, kid: key.id });
  const text = `${head}.${encoded(claims)}`;
  return `${text}.${signBytes(key, Buffer.from(text)).toString('base64url')}`;
}

/** Returns one decoded part of a token; undefined when it is invalid. */
function decoded(part: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export interface UnverifiedToken {
  readonly text: string;
  readonly header: Record<string, unknown>;
  readonly claims: TokenClaims;
  readonly signature: Buffer;
}

const times = ['exp', 'nbf', 'iat'] as const;
const isTime = (value: unknown): boolean => value === undefined || typeof value === 'number';

/** Parses a token without verifying anything; undefined when it has another form. */
export function readToken(token: string): UnverifiedToken | undefined {
  const [head, body, signature, ...more] = token.split('.');
  const [header, claims] = [decoded(head), decoded(body)];
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return undefined;
  if (!times.every(name => isTime(claims[name]))) return undefined; // a token with such a time would never expire
  return { text: `${head}.${body}`, header, claims, signature: Buffer.from(signature, 'base64url') };
}

/** Checks the signature with these keys; a key id in the token selects among them. Throws an Error that says what is wrong. */
export function verifyToken(token: UnverifiedToken, keys: readonly VerificationKey[]): void {
  const { kid, alg } = token.header;
  const chosen = typeof kid === 'string' && kid !== '' ? keys.filter(key => key.id === kid) : keys;
  if (chosen.length === 0) throw new Error('invalid signature, no keys found');
  const bytes = Buffer.from(token.text);
  // The key determines the algorithm: the token has to name the same one, and cannot select another.
  if (!chosen.some(key => key.algorithm.name === alg && verifyBytes(key, bytes, token.signature)))
    throw new Error('go-jose/go-jose: error in cryptographic primitive');
}

const leewaySeconds = 60;

/** Returns '' when the token is valid at this time, with a minute of tolerance for clocks that differ. */
export function timeFault({ nbf, exp, iat }: TokenClaims, now: Date): '' | 'early' | 'expired' | 'future' {
  const seconds = Math.trunc(now.getTime() / 1000);
  if (nbf !== undefined && seconds + leewaySeconds < nbf) return 'early';
  if (exp !== undefined && seconds - leewaySeconds > exp) return 'expired';
  return iat !== undefined && seconds + leewaySeconds < iat ? 'future' : '';
}
