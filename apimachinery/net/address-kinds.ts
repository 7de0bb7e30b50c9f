/** The kinds of IP addresses, as in Go's net/netip. An IPv4-mapped IPv6 address counts as IPv6. */
import type { IpAddress } from './ip.js';

const startsWith = (a: IpAddress, ...bytes: readonly number[]): boolean => bytes.every((byte, i) => a[i] === byte);
const hasFourBytes = (a: IpAddress): boolean => a.length === 4;
const isBroadcast = (a: IpAddress): boolean => hasFourBytes(a) && a.every(byte => byte === 255);

/** Reports whether an address is `0.0.0.0` or `::`. as net/netip Addr.IsUnspecified */
export const isUnspecified = (a: IpAddress): boolean => a.every(byte => byte === 0);

/** Reports whether an address is of `127.0.0.0/8`, or is `::1`. as net/netip Addr.IsLoopback */
export const isLoopback = (a: IpAddress): boolean =>
  hasFourBytes(a) ? a[0] === 127 : a.every((byte, i) => byte === (i === 15 ? 1 : 0));

const isMulticast = (a: IpAddress): boolean => (hasFourBytes(a) ? ((a[0] ?? 0) & 0xf0) === 0xe0 : a[0] === 0xff);

/** Reports whether an address is of `169.254.0.0/16` or `fe80::/10`. as net/netip Addr.IsLinkLocalUnicast */
export const isLinkLocalUnicast = (a: IpAddress): boolean =>
  hasFourBytes(a) ? startsWith(a, 169, 254) : a[0] === 0xfe && ((a[1] ?? 0) & 0xc0) === 0x80;

/** Reports whether an address is of `224.0.0.0/24`, or of link-local scope in `ff00::/8`. as net/netip Addr.IsLinkLocalMulticast */
export const isLinkLocalMulticast = (a: IpAddress): boolean =>
  hasFourBytes(a) ? startsWith(a, 224, 0, 0) : a[0] === 0xff && ((a[1] ?? 0) & 0x0f) === 0x02;

/** Returns whether an address is a global unicast address. as net/netip Addr.IsGlobalUnicast */
export const isGlobalUnicast = (a: IpAddress): boolean =>
  ![isUnspecified, isBroadcast, isLoopback, isMulticast, isLinkLocalUnicast].some(is => is(a));
