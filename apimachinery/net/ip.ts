/** IP addresses and CIDRs, in the formats that Go's net and net/netip read and write. */
import type { Fault } from '../interface.js';
import { invalidValue } from '../errors/faults.js';
import { goQuote } from '../../lib/go/go-text.js';

/** The 4 or 16 bytes of an address. */
export type IpAddress = readonly number[];

export interface Cidr {
  /** The address as written. */
  readonly address: IpAddress;
  readonly bits: number;
}

const v4In6 = (a: IpAddress): boolean =>
  a.length === 16 && a[10] === 0xff && a[11] === 0xff && a.slice(0, 10).every(b => b === 0);

/** Parses dotted decimal. `sloppy` accepts leading zeros, as old versions of Kubernetes. */
function parseV4(text: string, sloppy: boolean): IpAddress | undefined {
  const parts = text.split('.', 5);
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^[0-9]+$/.test(part) || Number(part) > 255) return undefined;
    if (!sloppy && part.length > 1 && part.startsWith('0')) return undefined;
    bytes.push(Number(part));
  }
  return bytes;
}

const maxGroups = 8;

/** Parses the groups of one side of `::`; the last may be dotted decimal. */
function parseGroups(text: string, mayEndDotted: boolean, sloppy: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':', maxGroups + 1);
  if (groups.length > maxGroups) return undefined;
  for (const [i, group] of groups.entries()) {
    if (mayEndDotted && i === groups.length - 1 && group.includes('.')) {
      const tail = parseV4(group, sloppy);
      if (!tail) return undefined;
      bytes.push(...tail);
      continue;
    }
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
    const value = parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
}

function parseV6(text: string, sloppy: boolean): IpAddress | undefined {
  const sides = text.split('::', 3);
  if (sides.length > 2) return undefined;
  const [left = '', right] = sides;
  const head = parseGroups(left, right === undefined, sloppy);
  if (!head) return undefined;
  if (right === undefined) return head.length === 16 ? head : undefined;
  const tail = parseGroups(right, true, sloppy);
  if (!tail || head.length + tail.length > 14) return undefined;
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

/** Parses an address without a zone; undefined if it is invalid. With `sloppy`, IPv4 may have leading zeros. */
export function parseIp(text: string, options?: { sloppy?: boolean }): IpAddress | undefined {
  const sloppy = options?.sloppy ?? false;
  return text.includes(':') ? parseV6(text, sloppy) : parseV4(text, sloppy);
}

/** Returns whether an address is IPv4, or IPv4-mapped. */
export const isV4 = (a: IpAddress): boolean => a.length === 4 || v4In6(a);

/** Returns the IPv4 address of an IPv4-mapped address; any other address unchanged. */
export const unmapped = (a: IpAddress): IpAddress => (v4In6(a) ? a.slice(12) : a);

/** Returns the longest run of two or more zero groups, which `::` replaces; `at` is -1 if there is none. */
function longestZeros(groups: readonly number[]): { at: number; length: number } {
  let best = { at: -1, length: 1 };
  for (let at = 0; at < groups.length;) {
    let end = at;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - at > best.length) best = { at, length: end - at };
    at = Math.max(end, at + 1);
  }
  return best;
}

/** Returns the text of an address by RFC 5952. An IPv4-mapped address is written as IPv4, as by Go's net.IP. */
export function formatIp(address: IpAddress): string {
  if (address.length === 4) return address.join('.');
  if (v4In6(address)) return address.slice(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((address[2 * i] ?? 0) << 8) | (address[2 * i + 1] ?? 0));
  const hex = groups.map(g => g.toString(16));
  const zeros = longestZeros(groups);
  if (zeros.at < 0) return hex.join(':');
  return `${hex.slice(0, zeros.at).join(':')}::${hex.slice(zeros.at + zeros.length).join(':')}`;
}

/** Parses a CIDR; undefined if it is invalid. With `sloppy`, the IPv4 address and the prefix length may have leading zeros. */
export function parseCidr(text: string, options?: { sloppy?: boolean }): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash), options);
  const length = text.slice(slash + 1);
  if (!address || !/^[0-9]+$/.test(length) || length.length > 4) return undefined;
  if (!options?.sloppy && length.length > 1 && length.startsWith('0')) return undefined;
  const bits = Number(length);
  return bits <= address.length * 8 ? { address, bits } : undefined;
}

/** Returns the address with the bits beyond the prefix cleared. */
export function maskIp(address: IpAddress, bits: number): IpAddress {
  return address.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))) & 0xff);
}

/** Returns the network in canonical form: `10.0.0.0/8`. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp(maskIp(cidr.address, cidr.bits))}/${cidr.bits}`;
}

/** Returns whether an address is in a network of the same family. */
export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  const plain = unmapped(address);
  if (plain.length !== cidr.address.length) return false;
  const network = maskIp(cidr.address, cidr.bits);
  return maskIp(plain, cidr.bits).every((byte, i) => byte === network[i]);
}

const badIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const badCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function strictIpFaults(path: string, value: string, address: IpAddress): Fault[] {
  const faults: Fault[] = [];
  if (!parseIp(value)) faults.push(invalidValue(path, value, 'must not have leading 0s'));
  else if (v4In6(address)) faults.push(invalidValue(path, value, 'must not be an IPv4-mapped IPv6 address'));
  return faults;
}

/** Returns the faults of a new field, which must be a strict address in canonical form. as apimachinery/pkg/util/validation IsValidIP */
export function ipFaults(path: string, value: string): Fault[] {
  const address = parseIp(value, { sloppy: true });
  if (!address) return [invalidValue(path, value, badIp)];
  const faults = strictIpFaults(path, value, address);
  const canonical = formatIp(address);
  if (faults.length > 0 || value === canonical) return faults;
  return [invalidValue(path, value, `must be in canonical form (${goQuote(canonical)})`)];
}

/**
 * Returns the faults of a field that older versions validated less strictly. `strict` refuses leading zeros and mapped addresses; `old`
 * are the values of the stored object, which stay valid. as apimachinery/pkg/util/validation IsValidIPForLegacyField
 */
export function legacyIpFaults(path: string, value: string, strict: boolean, old: readonly string[] = []): Fault[] {
  if (old.includes(value)) return [];
  const address = parseIp(value, { sloppy: true });
  if (!address) return [invalidValue(path, value, badIp)];
  return strict ? strictIpFaults(path, value, address) : [];
}

function strictCidrFaults(path: string, value: string): Fault[] {
  const cidr = parseCidr(value);
  if (!cidr) return [invalidValue(path, value, 'must not have leading 0s in IP or prefix length')];
  if (v4In6(cidr.address)) return [invalidValue(path, value, 'must not have an IPv4-mapped IPv6 address')];
  if (maskIp(cidr.address, cidr.bits).every((byte, i) => byte === cidr.address[i])) return [];
  return [invalidValue(path, value, 'must not have bits set beyond the prefix length')];
}

/** Returns the faults of a new field, which must be a strict CIDR in canonical form. as apimachinery/pkg/util/validation IsValidCIDR */
export function cidrFaults(path: string, value: string): Fault[] {
  const cidr = parseCidr(value, { sloppy: true });
  if (!cidr) return [invalidValue(path, value, badCidr)];
  const faults = strictCidrFaults(path, value);
  const canonical = formatCidr(cidr);
  if (faults.length > 0 || value === canonical) return faults;
  return [invalidValue(path, value, `must be in canonical form (${goQuote(canonical)})`)];
}

/** As `legacyIpFaults`, for CIDRs. as apimachinery/pkg/util/validation IsValidCIDRForLegacyField */
export function legacyCidrFaults(path: string, value: string, strict: boolean, old: readonly string[] = []): Fault[] {
  if (old.includes(value)) return [];
  if (!parseCidr(value, { sloppy: true })) return [invalidValue(path, value, badCidr)];
  return strict ? strictCidrFaults(path, value) : [];
}

/** Returns warnings about an address that is valid, but not in canonical form. */
export function ipWarnings(path: string, value: string): string[] {
  const address = parseIp(value, { sloppy: true });
  if (!address) return [];
  const canonical = formatIp(address);
  if (!parseIp(value) || v4In6(address))
    return [`${path}: non-standard IP address ${goQuote(value)} is invalid: use ${goQuote(canonical)}`];
  if (address.length === 4 || canonical === value) return [];
  return [`${path}: IPv6 address ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(canonical)})`];
}

/** Returns warnings about a CIDR that is valid, but not in canonical form. */
export function cidrWarnings(path: string, value: string): string[] {
  const cidr = parseCidr(value, { sloppy: true });
  if (!cidr) return [];
  const network = formatCidr(cidr);
  const out: string[] = [];
  const single = `${formatIp(cidr.address)}/${cidr.address.length * 8}`;
  if (maskIp(cidr.address, cidr.bits).some((byte, i) => byte !== cidr.address[i])) {
    const choice = `(should be ${goQuote(network)} or ${goQuote(single)}?)`;
    out.push(`${path}: CIDR value ${goQuote(value)} is ambiguous in this context ${choice}`);
  }
  if (!parseCidr(value) || v4In6(cidr.address))
    out.push(`${path}: non-standard CIDR value ${goQuote(value)} is invalid: use ${goQuote(network)}`);
  if (out.length > 0 || cidr.address.length === 4 || network === value) return out;
  return [`${path}: IPv6 CIDR value ${goQuote(value)} should be in RFC 5952 canonical format (${goQuote(network)})`];
}
