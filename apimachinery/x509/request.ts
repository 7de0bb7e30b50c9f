/** Reads and verifies certificate signing requests (PKCS #10). */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { formatIp } from '../net/ip.js';
import { alternativeNamesIn } from './certificate.js';
import type { Der } from './der.js';
import * as der from './der.js';
import { decodeSubject, type ReadSubject } from './name.js';
import { pemBlocks } from './pem.js';
import { digestOf } from './signature.js';

/** Maximum bytes of a request. It is decoded on the event loop, each element for itself. One with an RSA key of 4096 bits and 100 names takes 5,000. */
const maxBytes = 32 * 1024;
/** Maximum characters of a request in PEM: base64 in lines of 64, and some text around it. */
const maxLength = 48 * 1024;

const extensionRequest = '1.2.840.113549.1.9.14';

export interface CertificateRequest {
  readonly subject: ReadSubject;
  /** The subject in DER, with attributes that `subject` does not have. */
  readonly name: Der;
  readonly publicKey: KeyObject;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** All alternative names in DER; undefined if there are none. */
  readonly alternativeNames: Der | undefined;
}

function textNames(names: Der | undefined, tag: number): readonly string[] {
  if (names === undefined) return [];
  return der
    .parts(names)
    .filter(name => der.isTagged(name, tag))
    .map(name => der.content(name).toString('utf8'));
}

function addresses(names: Der | undefined): readonly string[] {
  if (names === undefined) return [];
  return der
    .parts(names)
    .filter(name => der.isTagged(name, 7))
    .map(name => {
      const bytes = der.content(name);
      if (bytes.length !== 4 && bytes.length !== 16)
        throw new Error(`x509: cannot parse IP address of length ${bytes.length}`);
      return formatIp([...bytes]);
    });
}

/** Reads a request in PEM, and checks that it is signed with its own key. Throws an Error that says what is wrong. as util/certificate/csr ParseCSR */
// differs: Kubernetes has no limit but that of the request body.
export function parseRequest(text: string): CertificateRequest {
  if (text.length > maxLength)
    throw new Error(`x509: certificate request in PEM is longer than ${maxLength} characters`);
  const [block] = pemBlocks(text);
  if (block?.label !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  if (block.der.length > maxBytes) throw new Error(`x509: certificate request is longer than ${maxBytes} bytes`);
  return parse(block.der);
}

function parse(bytes: Uint8Array): CertificateRequest {
  const [body, algorithm, signature] = der.parts(der.decode(bytes));
  const [, subject, key, attributes] = der.parts(body);
  if (body === undefined || subject === undefined || key === undefined)
    throw new Error('malformed certificate request');
  const publicKey = createPublicKey({ key: der.encode(key), format: 'der', type: 'spki' });
  const digest = digestOf(der.dotted(der.parts(algorithm)[0]));
  if (digest === undefined) throw new Error('x509: cannot verify signature: algorithm unimplemented');
  if (!verify(digest, der.encode(body), publicKey, der.content(signature).subarray(1)))
    throw new Error('x509: certificate request signature is invalid');
  const wanted =
    attributes && der.parts(attributes).find(attribute => der.dotted(der.parts(attribute)[0]) === extensionRequest);
  const names = wanted && alternativeNamesIn(der.parts(der.parts(wanted)[1])[0] ?? der.sequence());
  return {
    subject: decodeSubject(subject),
    name: subject,
    publicKey,
    dnsNames: textNames(names, 2),
    ipAddresses: addresses(names),
    emailAddresses: textNames(names, 1),
    uris: textNames(names, 6),
    alternativeNames: names,
  };
}
