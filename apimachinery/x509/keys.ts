/** Creates and encodes key pairs: ECDSA P-256, and RSA for tokens; as PEM. */
import { createHash, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { content, decode, parts } from './der.js';

const generate = promisify(generateKeyPair);

/** Creates the private key of a certificate: ECDSA P-256. */
export const createKey = async (): Promise<KeyObject> => (await generate('ec', { namedCurve: 'P-256' })).privateKey;

/** Creates a key for service account tokens, RS256 as kubeadm's, which every relying party supports. */
export const createTokenKey = async (): Promise<KeyObject> =>
  (await generate('rsa', { modulusLength: 2048 })).privateKey;

/** Returns a private key as PEM: SEC 1 for elliptic curves, as client-go and kubeadm write it; PKCS #8 for others. */
export const privatePem = (key: KeyObject): string =>
  key.export({ type: key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8', format: 'pem' }).toString();

/** Returns the public key of a key, which may be private, as SubjectPublicKeyInfo in DER. */
export const publicDer = (key: KeyObject): Buffer =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });

/** Returns the public key of a key pair, or the public key itself, as PEM. */
export const publicPem = (key: KeyObject): string =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'pem' }).toString();

/** Returns the key identifier of RFC 5280 4.2.1.2 (1): SHA-1 of the public key's bits. */
export function keyIdentifier(key: KeyObject): Buffer {
  const [, bits] = parts(decode(publicDer(key)));
  return createHash('sha1').update(content(bits).subarray(1)).digest();
}
