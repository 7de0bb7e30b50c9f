import { createHash, X509Certificate } from 'node:crypto';
import { pem, pemBlocks } from '../../apimachinery/x509/pem.js';

/**
 * Returns the pins of certificates in PEM: `sha256:` and the SHA-256 of the public key. Throws if a certificate cannot be read.
 * as cmd/kubeadm/app/util/pubkeypin Hash
 */
export const caPins = (text: string): readonly string[] =>
  pemBlocks(text)
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ label, der }) => {
      const key = new X509Certificate(pem(label, der)).publicKey.export({ type: 'spki', format: 'der' });
      return `sha256:${createHash('sha256').update(key).digest('hex')}`;
    });
