/** Builds and reads X.509 certificates. Signatures are made by node:crypto. */
import { createHash, randomBytes, X509Certificate, type KeyObject } from 'node:crypto';
import { parseIp } from '../net/ip.js';
import type { Der } from './der.js';
import * as der from './der.js';
import { keyIdentifier, publicDer } from './keys.js';
import { pem } from './pem.js';
import { signatureAlgorithm, signDer } from './signature.js';

/** Bits of the key usage extension, by their names in certificates.k8s.io. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};

/** Object identifiers of the extended key usage extension, by their names in certificates.k8s.io. */
const extendedKeyUsages: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

const extensions = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** The contents of a certificate to build. `subject` and `alternativeNames` are DER, so that those of a request are copied unchanged. */
interface Template {
  readonly subject: Der;
  readonly publicKey: KeyObject;
  readonly authority: boolean;
  /** Names as in certificates.k8s.io; see `keyUsages` and `extendedKeyUsages`. */
  readonly usages: readonly string[];
  readonly alternativeNames: Der | undefined;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The issuer: its name, its key, and the identifier of that key. */
export interface Issuer {
  readonly subject: Der;
  readonly key: KeyObject;
  readonly keyIdentifier: Buffer | undefined;
}

const extension = (id: string, critical: boolean, value: Der): Der =>
  critical
    ? der.sequence(der.oid(id), der.boolean(true), der.octets(der.encode(value)))
    : der.sequence(der.oid(id), der.octets(der.encode(value)));

function keyUsage(usages: readonly string[]): Der | undefined {
  const flags = new Set(usages.map(usage => keyUsages[usage]).filter(bit => bit !== undefined));
  if (flags.size === 0) return undefined;
  const last = Math.max(...flags);
  const bytes = Buffer.alloc((last >> 3) + 1);
  for (const flag of flags) bytes.writeUInt8(bytes.readUInt8(flag >> 3) | (0x80 >> (flag & 7)), flag >> 3);
  return der.bits(bytes, 7 - (last & 7));
}

function extendedKeyUsage(usages: readonly string[]): Der | undefined {
  const ids = new Set(usages.map(usage => extendedKeyUsages[usage]).filter(id => id !== undefined));
  return ids.size === 0 ? undefined : der.sequence(...[...ids].map(der.oid));
}

/** Returns subject alternative names: IP addresses as such, everything else as DNS names. */
export const alternativeNames = (hosts: readonly string[]): Der =>
  der.sequence(
    ...hosts.map(host => {
      const address = parseIp(host);
      return address ? der.tagged(7, Uint8Array.from(address)) : der.tagged(2, Buffer.from(host, 'ascii'));
    }),
  );

/** Returns the extension with alternative names, which is not critical, since the subject has a name as well. */
export const alternativeNamesExtension = (names: Der): Der => extension(extensions.subjectAltName, false, names);

function extensionsOf(template: Template, issuer: Issuer): Der {
  const usage = keyUsage(template.usages);
  const extended = extendedKeyUsage(template.usages);
  const list = [
    usage && extension(extensions.keyUsage, true, usage),
    extended && extension(extensions.extendedKeyUsage, false, extended),
    extension(extensions.basicConstraints, true, template.authority ? der.sequence(der.boolean(true)) : der.sequence()),
    template.authority &&
      extension(extensions.subjectKeyIdentifier, false, der.octets(keyIdentifier(template.publicKey))),
    issuer.keyIdentifier &&
      extension(extensions.authorityKeyIdentifier, false, der.sequence(der.tagged(0, issuer.keyIdentifier))),
    template.alternativeNames && alternativeNamesExtension(template.alternativeNames),
  ];
  return der.sequence(...list.filter(item => item !== undefined && item !== false));
}

/** Returns a signed certificate as PEM. */
export function buildCertificate(template: Template, issuer: Issuer): string {
  const serial = randomBytes(16);
  serial.writeUInt8(serial.readUInt8(0) & 0x7f);
  const algorithm = signatureAlgorithm(issuer.key).identifier();
  const body = der.sequence(
    der.tagged(0, [der.integer(Uint8Array.of(2))]),
    der.integer(serial),
    algorithm,
    issuer.subject,
    der.sequence(der.time(template.notBefore), der.time(template.notAfter)),
    template.subject,
    der.decode(publicDer(template.publicKey)),
    der.tagged(3, [extensionsOf(template, issuer)]),
  );
  return pem('CERTIFICATE', der.encode(der.sequence(body, algorithm, der.bits(signDer(issuer.key, der.encode(body))))));
}

/** Returns the parts of a certificate that node:crypto does not expose. Throws when the bytes are no certificate. */
export function readCertificate(bytes: Uint8Array): {
  readonly subject: Der;
  readonly keyIdentifier: Buffer | undefined;
} {
  const fields = der.parts(der.parts(der.decode(bytes))[0]);
  // version, serial, algorithm, issuer, validity, subject; the version is absent in version 1
  const subject = fields[der.isTagged(fields[0], 0) ? 5 : 4];
  if (subject === undefined) throw new Error('a certificate without subject');
  const list = fields.find(field => der.isTagged(field, 3));
  const identifier = list && extensionIn(der.parts(list)[0], extensions.subjectKeyIdentifier);
  return { subject, keyIdentifier: identifier && der.content(identifier) };
}

/** Returns the value of an extension in an Extensions sequence. */
function extensionIn(list: Der | undefined, id: string): Der | undefined {
  const found = der.parts(list).find(item => der.dotted(der.parts(item)[0]) === id);
  return found && der.decode(der.content(der.parts(found).at(-1)));
}

/** Returns the alternative names in a list of extensions; undefined if there are none. */
export const alternativeNamesIn = (list: Der): Der | undefined => extensionIn(list, extensions.subjectAltName);

/** Returns the SHA-256 of the whole certificate in lower-case hex. */
export const fingerprint = (certificate: X509Certificate | Uint8Array): string =>
  createHash('sha256')
    .update(certificate instanceof X509Certificate ? certificate.raw : certificate)
    .digest('hex');
