import type tls from 'node:tls';
import { parseIp, unmapped } from '../../../apimachinery/net/ip.js';
import type { Peer } from '../../interface.js';

/** Bytes of an IPv6 address that name a network (RFC 4291, 2.5.1): a host may use all addresses of it. */
const networkBytes = 8;

/** Returns a text that is the same for all addresses that one client may use: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const bytes = parseIp(address);
  if (!bytes) return address;
  return unmapped(bytes).slice(0, networkBytes).join('.');
}

/** Returns the other end of a socket whose handshake is complete. */
export function peerOf(socket: tls.TLSSocket): Peer {
  const address = socket.remoteAddress ?? '';
  return { certificate: socket.getPeerCertificate(false).raw, address, network: networkOf(address) };
}
