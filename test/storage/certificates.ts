import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

interface Certified {
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface Authority extends Certified {
  /** Returns a certificate for 127.0.0.1, for servers and clients. */
  issue(name: string): Certified;
}

function keyPair(): { readonly pem: string; readonly keys: forge.pki.rsa.KeyPair } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const made = forge.pki.privateKeyFromPem(pem);
  return { pem, keys: { privateKey: made, publicKey: forge.pki.setRsaPublicKey(made.n, made.e) } };
}

let serial = 1;

function certificate(
  name: string,
  keys: forge.pki.rsa.KeyPair,
  issuer: string,
  extensions: object[],
): forge.pki.Certificate {
  const made = forge.pki.createCertificate();
  made.publicKey = keys.publicKey;
  made.serialNumber = String(serial++).padStart(2, '0');
  made.validity.notBefore = new Date(Date.now() - 60_000);
  made.validity.notAfter = new Date(Date.now() + 3_600_000);
  made.setSubject([{ name: 'commonName', value: name }]);
  made.setIssuer([{ name: 'commonName', value: issuer }]);
  made.setExtensions(extensions);
  return made;
}

/** Creates an authority and certificates that are valid for an hour. */
export function authority(): Authority {
  const ca = keyPair();
  const root = certificate('test-ca', ca.keys, 'test-ca', [
    { name: 'basicConstraints', cA: true },
    { name: 'keyUsage', keyCertSign: true, digitalSignature: true },
  ]);
  root.sign(ca.keys.privateKey, forge.md.sha256.create());
  return {
    cert: Buffer.from(forge.pki.certificateToPem(root)),
    key: Buffer.from(ca.pem),
    issue(name) {
      const { pem, keys } = keyPair();
      const made = certificate(name, keys, 'test-ca', [
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ]);
      made.sign(ca.keys.privateKey, forge.md.sha256.create());
      return { cert: Buffer.from(forge.pki.certificateToPem(made)), key: Buffer.from(pem) };
    },
  };
}
