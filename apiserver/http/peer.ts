import type tls from 'node:tls';
import type { Peer } from '../interface.js';

/** Returns the other end of a socket whose handshake is complete. */
export const peerOf = (socket: tls.TLSSocket): Peer => ({
  certificate: socket.getPeerCertificate(false).raw,
  address: socket.remoteAddress ?? '',
});

/** Stands for the other end of a connection that is no longer known. */
export const nobody: Peer = { certificate: undefined, address: '' };
