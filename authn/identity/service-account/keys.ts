/** The keys that sign and verify service account tokens. */
import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { publicDer } from '../../../apimachinery/x509/keys.js';

/** The signature algorithms of tokens, by their JWS names (RFC 7518 3.1). */
type Algorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

const byCurve: Readonly<Record<string, Algorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** RFC 7518 3.3 */
const minRsaBits = 2048;

export interface VerificationKey {
  /** Derived from the public key: base64url of the SHA-256 of its SPKI. */
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): Algorithm {
  const bits = details?.modulusLength ?? 0;
  if (type === 'rsa' && bits < minRsaBits)
    throw new Error(`cannot sign tokens with an RSA key of ${bits} bits: RS256 needs ${minRsaBits} bits or more`);
  const algorithm = type === 'rsa' ? 'RS256' : byCurve[details?.namedCurve ?? ''];
  if (algorithm === undefined) throw new Error(`cannot sign tokens with a key of type ${type}`);
  return algorithm;
}

/** Reads a key from PEM: a public key, or a private one, whose public key is used. */
export function verificationKey(pem: string): VerificationKey {
  const key = createPublicKey(pem);
  const id = createHash('sha256').update(publicDer(key)).digest('base64url');
  return { id, algorithm: algorithmOf(key), key };
}

/** Reads a private key from PEM: RSA of 2,048 bits or more, or ECDSA on a NIST curve. Throws for others. */
export const signingKey = (pem: string): SigningKey => ({
  ...verificationKey(pem),
  privateKey: createPrivateKey(pem),
});

/** Returns the public part of a key as a JSON Web Key. Tokens name it by its `kid`. */
export const publicJwk = ({ id, algorithm, key }: VerificationKey): JsonWebKey => ({
  use: 'sig',
  kid: id,
  alg: algorithm,
  ...key.export({ format: 'jwk' }),
});
