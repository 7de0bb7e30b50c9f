/** The kinds of IP addresses that Go's net/netip tells apart. An IPv4 address that is mapped into IPv6 counts as IPv6. */
import type { Address } from './ip.js';

const begins = (a: Address, ...bytes: readonly number[]): boolean => bytes.every((byte, i) => a[i] === byte);
const hasFourBytes = (a: Address): boolean => a.length === 4;
const isBroadcast = (a: Address): boolean => hasFourBytes(a) && a.every(byte => byte === 255);

export const isUnspecified = (a: Address): boolean => a.every(byte => byte === 0);

export const isLoopback = (a: Address): boolean =>
  hasFourBytes(a) ? a[0] === 127 : a.every((byte, i) => byte === (i === 15 ? 1 : 0));

export const isMulticast = (a: Address): boolean => (hasFourBytes(a) ? ((a[0] ?? 0) & 0xf0) === 0xe0 : a[0] === 0xff);

export const isLinkLocalUnicast = (a: Address): boolean =>
  hasFourBytes(a) ? begins(a, 169, 254) : a[0] === 0xfe && ((a[1] ?? 0) & 0xc0) === 0x80;

export const isLinkLocalMulticast = (a: Address): boolean =>
  hasFourBytes(a) ? begins(a, 224, 0, 0) : a[0] === 0xff && ((a[1] ?? 0) & 0x0f) === 0x02;

/** Whether an address may be that of one machine, as seen by others. */
export const isGlobalUnicast = (a: Address): boolean =>
  ![isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast].some(is => is(a));
