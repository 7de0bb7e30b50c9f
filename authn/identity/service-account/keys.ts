/** The keys that sign and verify service account tokens. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { publicDer } from '../../pki/keys.js';

/** A JWS algorithm: its digest, and whether signatures are two concatenated numbers (RFC 7518 3.4). */
interface Algorithm {
  readonly name: string;
  readonly digest: string;
  readonly elliptic: boolean;
}

const byCurve: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: 'ES256', digest: 'sha256', elliptic: true },
  secp384r1: { name: 'ES384', digest: 'sha384', elliptic: true },
  secp521r1: { name: 'ES512', digest: 'sha512', elliptic: true },
};
const rsa: Algorithm = { name: 'RS256', digest: 'sha256', elliptic: false };

export interface VerificationKey {
  /** Derived from the public key: base64url of the SHA-256 of its SPKI. */
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

function algorithmOf(key: KeyObject): Algorithm {
  const found = key.asymmetricKeyType === 'rsa' ? rsa : byCurve[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (found === undefined) throw new Error(`cannot sign tokens with a key of type ${key.asymmetricKeyType}`);
  return found;
}

/** Reads a key from PEM: a public key, or a private one, whose public key is used. */
export function verificationKey(pem: string): VerificationKey {
  const key = createPublicKey(pem);
  const id = createHash('sha256').update(publicDer(key)).digest('base64url');
  return { id, algorithm: algorithmOf(key), key };
}

/** Reads a private key from PEM: RSA, or ECDSA on a NIST curve. Throws for others. */
export const signingKey = (pem: string): SigningKey => ({
  ...verificationKey(pem),
  privateKey: createPrivateKey(pem),
});

const encoding = ({ elliptic }: Algorithm) => (elliptic ? ({ dsaEncoding: 'ieee-p1363' } as const) : {});

export const signBytes = ({ algorithm, privateKey }: SigningKey, bytes: Uint8Array): Buffer =>
  sign(algorithm.digest, bytes, { key: privateKey, ...encoding(algorithm) });

export const verifyBytes = ({ algorithm, key }: VerificationKey, bytes: Uint8Array, signature: Uint8Array): boolean =>
  verify(algorithm.digest, bytes, { key, ...encoding(algorithm) }, signature);

export const publicJwk = ({ id, algorithm, key }: VerificationKey): JsonWebKey => ({
  use: 'sig',
  kid: id,
  alg: algorithm.name,
  ...key.export({ format: 'jwk' }),
});
