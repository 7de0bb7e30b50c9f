/** Certificate signing requests (PKCS #10): made, read and verified. */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { alternativeNames, alternativeNamesExtension, alternativeNamesIn } from './certificate.js';
import type { Der } from './der.js';
import * as der from './der.js';
import { publicDer } from './keys.js';
import { decodeSubject, encodeSubject, type ReadSubject, type Subject } from './name.js';
import { pem } from './pem.js';
import { digestOf, signatureAlgorithm, signDer } from './signature.js';

const extensionRequest = '1.2.840.113549.1.9.14';

export interface CertificateRequest {
  readonly subject: ReadSubject;
  readonly publicKey: KeyObject;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** As they stand in the request, for the certificate. */
  readonly raw: { readonly subject: Der; readonly alternativeNames: Der | undefined };
}

/** A request for `subject`, as PEM, signed with its key. */
export function createRequest(subject: Subject, key: KeyObject, hosts: readonly string[] = []): string {
  const wanted = der.sequence(alternativeNamesExtension(alternativeNames(hosts)));
  const body = der.sequence(
    der.integer(Uint8Array.of(0)),
    encodeSubject(subject),
    der.decode(publicDer(key)),
    der.tagged(0, hosts.length === 0 ? [] : [der.sequence(der.oid(extensionRequest), der.set(wanted))]),
  );
  const algorithm = signatureAlgorithm(key).identifier();
  return pem(
    'CERTIFICATE REQUEST',
    der.encode(der.sequence(body, algorithm, der.bits(signDer(key, der.encode(body))))),
  );
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
    .map(name => ipaddr.fromByteArray([...der.content(name)]).toString())
    .filter(address => net.isIP(address) !== 0);
}

/** Reads a request and checks that who made it holds its key. Throws an Error that says what is wrong. */
export function parseRequest(bytes: Uint8Array): CertificateRequest {
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
    publicKey,
    dnsNames: textNames(names, 2),
    ipAddresses: addresses(names),
    emailAddresses: textNames(names, 1),
    uris: textNames(names, 6),
    raw: { subject, alternativeNames: names },
  };
}
