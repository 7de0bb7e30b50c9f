import type tls from 'node:tls';
import type { Peer } from '../interface.js';

/** Returns the other end of a socket whose handshake is complete. */
export const peerOf = (socket: tls.TLSSocket): Peer => ({
  certificate: socket.getPeerCertificate(false).raw,
  address: socket.remoteAddress ?? '',
});
