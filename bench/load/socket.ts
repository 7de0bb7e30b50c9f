import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import type { Endpoint } from '../../aggregation/interface.js';

/** Returns the headers of every request to an endpoint. */
export function commonHeaders({ server, token }: Endpoint): Readonly<Record<string, string>> {
  return { Host: new URL(server).host, 'User-Agent': 'bench/1.0', ...(token && { Authorization: `Bearer ${token}` }) };
}

export const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

/** Opens a connection, with TLS for https. Rejects if the server does not negotiate the protocol. */
export async function openSocket(endpoint: Endpoint, protocol: 'http/1.1' | 'h2'): Promise<net.Socket> {
  const { hostname, port, protocol: scheme } = new URL(endpoint.server);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (scheme === 'http:') {
    const plain = net.connect({ host, port: Number(port || 80), noDelay: true });
    await once(plain, 'connect');
    return plain;
  }
  const socket = tls.connect({
    host,
    port: Number(port || 443),
    ...(net.isIP(host) === 0 && { servername: host }),
    ...(endpoint.ca !== undefined && { ca: endpoint.ca }),
    ...(endpoint.clientCertificate !== undefined && { cert: endpoint.clientCertificate }),
    ...(endpoint.clientKey !== undefined && { key: endpoint.clientKey }),
    ...(endpoint.insecureSkipVerify && { rejectUnauthorized: false }),
    ALPNProtocols: [protocol],
  });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  if (protocol === 'h2' && socket.alpnProtocol !== 'h2') throw new Error(`${endpoint.server} does not speak HTTP/2`);
  return socket;
}
