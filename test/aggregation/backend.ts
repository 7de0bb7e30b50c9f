/** A server in place of a member, which answers as the test defines. */
import { once } from 'node:events';
import type http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Test } from 'tap';
import { createAuthority, issueServing } from '../../authn/pki/authority.js';

export interface Backend {
  readonly url: string;
  readonly authority: string;
  /** Answers requests; each test replaces it. */
  onRequest: http.RequestListener;
  onUpgrade: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void;
  stop(): Promise<void>;
}

export async function backend(t: Test): Promise<Backend> {
  const authority = await createAuthority();
  const { certificate: cert, key } = await issueServing(authority, ['127.0.0.1']);
  const server = https.createServer({ cert, key });
  // Includes sockets in their TLS handshake, which the server does not count as connections yet.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const made: Backend = {
    url: '',
    authority: authority.certificate,
    onRequest: (_request, response) => response.end(),
    onUpgrade: (_request, socket) => socket.destroy(),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  server.on('request', (request, response) => made.onRequest(request, response));
  server.on('upgrade', (request, socket: Duplex, head) => {
    socket.on('error', () => undefined); // the client may be gone before the echo is written
    made.onUpgrade(request, socket, head);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => (server.listening ? made.stop() : undefined));
  return Object.assign(made, { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
