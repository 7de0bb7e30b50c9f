/** Creates certificate signing requests. */
import type { KeyObject } from 'node:crypto';
import { alternativeNames, alternativeNamesExtension } from './certificate.js';
import type { Der } from './der.js';
import * as der from './der.js';
import { publicDer } from './keys.js';
import { encodeSubject, type CertificateSubject } from './name.js';
import { pem } from './pem.js';
import { signatureAlgorithm, signDer } from './signature.js';

const extensionRequest = '1.2.840.113549.1.9.14';

/** Returns a request for `subject` in PEM, signed with its key. */
export function createRequest(
  subject: CertificateSubject,
  key: KeyObject,
  hosts: readonly string[] = [],
  names: Der = alternativeNames(hosts),
): string {
  const wanted = der.sequence(alternativeNamesExtension(names));
  const body = der.sequence(
    der.integer(Uint8Array.of(0)),
    encodeSubject(subject),
    der.decode(publicDer(key)),
    der.tagged(0, der.parts(names).length === 0 ? [] : [der.sequence(der.oid(extensionRequest), der.set(wanted))]),
  );
  const algorithm = signatureAlgorithm(key).identifier();
  return pem(
    'CERTIFICATE REQUEST',
    der.encode(der.sequence(body, algorithm, der.bits(signDer(key, der.encode(body))))),
  );
}
