import { X509Certificate, createPrivateKey } from 'node:crypto';
import { warnings } from '../../../shared/rules/warnings.js';
import type { Secret } from '../../../../api/kubernetes/core.js';
import { tlsSecret } from '../../../../api/kubernetes/well-known.js';

const block = /-----BEGIN ([^-\n]+)-----\r?\n[^-]*-----END \1-----/g;

interface Block {
  readonly type: string;
  readonly text: string;
}

function blocksOf(base64: string | undefined): Block[] {
  const text = Buffer.from(base64 ?? '', 'base64').toString('latin1');
  return [...text.matchAll(block)].map(([all, type = '']) => ({ type, text: all }));
}

/** Returns why a certificate and a key are not a pair; undefined if they are. */
// as Go's crypto/tls X509KeyPair
function pairError(certificate: string | undefined, key: string | undefined): string | undefined {
  const certificates = blocksOf(certificate);
  const skipped = (all: readonly Block[]): string => `[${all.map(b => b.type).join(' ')}]`;
  const leaf = certificates.find(b => b.type === 'CERTIFICATE');
  if (certificates.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (!leaf) {
    if (certificates.length === 1 && certificates[0]?.type.endsWith('PRIVATE KEY'))
      return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${skipped(certificates)}`;
  }
  const keys = blocksOf(key);
  const privateKey = keys.find(b => b.type === 'PRIVATE KEY' || b.type.endsWith(' PRIVATE KEY'));
  if (keys.length === 0) return 'tls: failed to find any PEM data in key input';
  if (!privateKey) {
    if (keys.length === 1 && keys[0]?.type === 'CERTIFICATE')
      return 'tls: found a certificate rather than a key in the PEM for the private key';
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${skipped(keys)}`;
  }
  return mismatch(leaf.text, privateKey.text);
}

function mismatch(certificate: string, key: string): string | undefined {
  let x509: X509Certificate;
  try {
    x509 = new X509Certificate(certificate);
  } catch {
    return 'x509: malformed certificate';
  }
  try {
    return x509.checkPrivateKey(createPrivateKey(key)) ? undefined : 'tls: private key does not match public key';
  } catch {
    return 'tls: failed to parse private key';
  }
}

export const secretWarnings = warnings<Secret>((secret, warn) => {
  if (secret.value?.type !== tlsSecret) return;
  const error = pairError(secret.value.data?.['tls.crt'], secret.value.data?.['tls.key']);
  if (error !== undefined) warn(error);
});
