import type tls from 'node:tls';
import type { Peer } from '../interface.js';

/** Whom a handshake was made with. */
export const peerOf = (socket: tls.TLSSocket): Peer => ({
  certificate: socket.getPeerCertificate(false).raw,
  address: socket.remoteAddress ?? '',
});

/** Of a connection that is not known any more. */
export const nobody: Peer = { certificate: undefined, address: '' };
