/** JSON Web Tokens in compact form, as far as service accounts need them. */
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

/** One part of a token; undefined: it is no token of ours. */
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

/** undefined: it has not the form of a token. Nothing of it is to be believed yet. */
export function readToken(token: string): UnverifiedToken | undefined {
  const [head, body, signature, ...more] = token.split('.');
  const [header, claims] = [decoded(head), decoded(body)];
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return undefined;
  if (!times.every(name => isTime(claims[name]))) return undefined; // with such a time it would never expire
  return { text: `${head}.${body}`, header, claims, signature: Buffer.from(signature, 'base64url') };
}

/** Was it signed by one of these keys? A key id in the token chooses among them. Throws an Error that says what is wrong. */
export function verifyToken(token: UnverifiedToken, keys: readonly VerificationKey[]): void {
  const { kid, alg } = token.header;
  const chosen = typeof kid === 'string' && kid !== '' ? keys.filter(key => key.id === kid) : keys;
  if (chosen.length === 0) throw new Error('invalid signature, no keys found');
  const bytes = Buffer.from(token.text);
  // The algorithm is the key's own: what the token names must be the same, and cannot choose another.
  if (!chosen.some(key => key.algorithm.name === alg && verifyBytes(key, bytes, token.signature)))
    throw new Error('go-jose/go-jose: error in cryptographic primitive');
}

const leewaySeconds = 60;

/** '' when the token is valid at this time, with a minute's grace for clocks that differ. */
export function timeFault({ nbf, exp, iat }: TokenClaims, now: Date): '' | 'early' | 'expired' | 'future' {
  const seconds = Math.trunc(now.getTime() / 1000);
  if (nbf !== undefined && seconds + leewaySeconds < nbf) return 'early';
  if (exp !== undefined && seconds - leewaySeconds > exp) return 'expired';
  return iat !== undefined && seconds + leewaySeconds < iat ? 'future' : '';
}
