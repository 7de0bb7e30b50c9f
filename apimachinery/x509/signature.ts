/** X.509 signature algorithms by type of key. */
import { sign, type KeyObject } from 'node:crypto';
import * as der from './der.js';
import { ownValue } from '../../lib/collections/own-value.js';

interface Algorithm {
  readonly identifier: () => der.Der;
  readonly digest: string | null;
}

const ecdsa = (digest: string, id: string): Algorithm => ({ identifier: () => der.sequence(der.oid(id)), digest });

const byCurve: Readonly<Record<string, Algorithm>> = {
  prime256v1: ecdsa('sha256', '1.2.840.10045.4.3.2'),
  secp384r1: ecdsa('sha384', '1.2.840.10045.4.3.3'),
  secp521r1: ecdsa('sha512', '1.2.840.10045.4.3.4'),
};

const byType: Readonly<Record<string, Algorithm>> = {
  rsa: { identifier: () => der.sequence(der.oid('1.2.840.113549.1.1.11'), der.nothing()), digest: 'sha256' },
  ed25519: { identifier: () => der.sequence(der.oid('1.3.101.112')), digest: null },
};

/** Returns the algorithm for a key. Throws for unsupported keys. */
export function signatureAlgorithm(key: KeyObject): Algorithm {
  const curve = key.asymmetricKeyDetails?.namedCurve ?? '';
  const algorithm = key.asymmetricKeyType === 'ec' ? byCurve[curve] : byType[key.asymmetricKeyType ?? ''];
  if (algorithm === undefined) throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType} ${curve}`);
  return algorithm;
}

const digests: Readonly<Record<string, string | null>> = {
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.3.101.112': null,
};

/** Returns the digest of a signature algorithm; undefined when the algorithm is not accepted (SHA-1 and older). */
export const digestOf = (algorithm: string): string | null | undefined => ownValue(digests, algorithm);

/** Returns the signature of a message by a private key, with the digest of `signatureAlgorithm`. */
export const signDer = (key: KeyObject, message: Uint8Array): Buffer =>
  sign(signatureAlgorithm(key).digest, message, key);
