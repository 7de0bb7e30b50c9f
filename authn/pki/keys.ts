/** Key pairs: ECDSA P-256, RSA for tokens; as PEM. */
import { createHash, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { content, decode, parts } from './der.js';

const generate = promisify(generateKeyPair);

export const createKey = async (): Promise<KeyObject> => (await generate('ec', { namedCurve: 'P-256' })).privateKey;

/** For service account tokens: RS256 is what every relying party reads, and what kubeadm sets up. */
export const createTokenKey = async (): Promise<KeyObject> =>
  (await generate('rsa', { modulusLength: 2048 })).privateKey;

/** SEC 1 for elliptic curves, as client-go and kubeadm write it; PKCS #8 for everything else. */
export const privatePem = (key: KeyObject): string =>
  key.export({ type: key.asymmetricKeyType === 'ec' ? 'sec1' : 'pkcs8', format: 'pem' }).toString();

export const publicDer = (key: KeyObject): Buffer =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });

export const publicPem = (key: KeyObject): string =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'pem' }).toString();

/** The key identifier of RFC 5280 4.2.1.2 (1): SHA-1 of the public key's bits. */
export function keyIdentifier(key: KeyObject): Buffer {
  const [, bits] = parts(decode(publicDer(key)));
  return createHash('sha1').update(content(bits).subarray(1)).digest();
}
