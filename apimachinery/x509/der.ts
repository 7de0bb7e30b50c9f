/** Reads and writes DER. The only file that uses node-forge, for its ASN.1; all other X.509 work is done by node:crypto. */
import type forge from 'node-forge';
// Only this part of the package is loaded: all of it takes three times as long, and its X.509 lacks ECDSA.
import asn1 from 'node-forge/lib/asn1.js';

const { Class, Type } = asn1;

export type Der = forge.asn1.Asn1;

const universal = (type: forge.asn1.Type, constructed: boolean, value: string | Der[]): Der =>
  asn1.create(Class.UNIVERSAL, type, constructed, value);
const binary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Returns a SEQUENCE of values in this order. */
export const sequence = (...items: readonly Der[]): Der => universal(Type.SEQUENCE, true, [...items]);
/** Returns a SET. The caller gives the items in the order of their bytes, which DER requires. */
export const set = (...items: readonly Der[]): Der => universal(Type.SET, true, [...items]);
/** Returns an object identifier from its dotted form, such as `2.5.29.17`. */
export const oid = (dotted: string): Der => universal(Type.OID, false, asn1.oidToDer(dotted).getBytes());
/** Returns a BOOLEAN. In DER, true is the byte 255. */
export const boolean = (value: boolean): Der => universal(Type.BOOLEAN, false, value ? '\xff' : '\0');
/** Returns a NULL, which stands for the absent parameters of an algorithm. */
export const nothing = (): Der => universal(Type.NULL, false, '');
/** Returns an OCTET STRING, of which the bytes may be the DER of another value. */
export const octets = (bytes: Uint8Array): Der => universal(Type.OCTETSTRING, false, binary(bytes));
/** Returns a UTF8String. */
export const utf8 = (text: string): Der => universal(Type.UTF8, false, binary(Buffer.from(text, 'utf8')));

/** Returns a non-negative integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Der {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = Buffer.from(bytes.subarray(start));
  const negative = ((digits[0] ?? 0) & 0x80) !== 0;
  return universal(Type.INTEGER, false, (negative ? '\0' : '') + binary(digits));
}

/** Returns a bit string of whole bytes without the last `unused` bits. */
export const bits = (bytes: Uint8Array, unused = 0): Der =>
  universal(Type.BITSTRING, false, String.fromCharCode(unused) + binary(bytes));

/** Returns a context-specific tag around constructed items, or with primitive bytes. */
export const tagged = (tag: number, content: readonly Der[] | Uint8Array): Der =>
  content instanceof Uint8Array
    ? asn1.create(Class.CONTEXT_SPECIFIC, tag, false, binary(content))
    : asn1.create(Class.CONTEXT_SPECIFIC, tag, true, [...content]);

/** Returns a point in time to the second, in the form of RFC 5280 4.1.2.5. */
export function time(when: Date): Der {
  const digits = when.toISOString().replace(/\.\d+Z$|[-:T]/g, '') + 'Z';
  return when.getUTCFullYear() < 2050
    ? universal(Type.UTCTIME, false, digits.slice(2))
    : universal(Type.GENERALIZEDTIME, false, digits);
}

/** Returns the bytes of a value. */
export const encode = (der: Der): Buffer => Buffer.from(asn1.toDer(der).getBytes(), 'latin1');

/** Reads one DER value. Throws when the bytes are not exactly one. */
export function decode(bytes: Uint8Array): Der {
  // Bit strings are not decoded: their contents are opaque.
  return asn1.fromDer(binary(bytes), { strict: true, parseAllBytes: true, decodeBitStrings: false });
}

/** Returns the parts of a constructed value. Throws when it is primitive. */
export function parts(der: Der | undefined): readonly Der[] {
  if (der === undefined || typeof der.value === 'string') throw new Error('DER: a constructed value was expected');
  return der.value;
}

/** Returns the content of a primitive value. Throws when it is constructed. */
export function content(der: Der | undefined): Buffer {
  if (der === undefined || typeof der.value !== 'string') throw new Error('DER: a primitive value was expected');
  return Buffer.from(der.value, 'latin1');
}

/** Returns the dotted form of an object identifier. Throws when the value is another one. */
export const dotted = (der: Der | undefined): string => asn1.derToOid(content(der).toString('latin1'));
/** Reports whether a value has a context-specific tag, by which optional fields of a sequence are told apart. */
export const isTagged = (der: Der | undefined, tag: number): boolean =>
  der?.tagClass === Class.CONTEXT_SPECIFIC && (der.type as number) === tag;

/** Returns the text of a directory string of any type. */
export const text = (der: Der): string =>
  // The parser has decoded BMP strings already.
  der.type === Type.BMPSTRING && typeof der.value === 'string' ? der.value : content(der).toString('utf8');
