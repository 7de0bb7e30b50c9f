/** Servers for the client of HTTP/2: one of Node.js, and one that sends the frames of a test. */
import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import type { Test } from 'tap';
import { type Answer, send } from '../../../../../aggregation/remote/answer.js';
import { openPool } from '../../../../../aggregation/remote/transport/dispatcher.js';
import type { Pool, PoolRequest } from '../../../../../aggregation/remote/transport/pool.js';
import { createAuthority, issueServing } from '../../../../../authn/pki/authority.js';
import { settingsFrame } from '../../../../../lib/http2/frames.js';
import { type Line, line } from '../../../../storage/etcd/grpc/puppet.js';

interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export async function certificates(host = '127.0.0.1'): Promise<Certificates> {
  const authority = await createAuthority();
  const { certificate: cert, key } = await issueServing(authority, [host]);
  return { ca: authority.certificate, cert, key };
}

interface Peer {
  readonly origin: string;
  readonly ca: string;
  /** The connections so far, open and closed. */
  readonly sockets: readonly Socket[];
}

async function listening(t: Test, server: tls.Server, ca: string): Promise<Peer> {
  const sockets: Socket[] = [];
  server.on('secureConnection', (socket: Socket) => sockets.push(socket.on('error', () => undefined)));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca, sockets };
}

/** Starts a server of Node.js. */
export async function nodePeer(
  t: Test,
  onStream: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
  settings: http2.Settings = {},
): Promise<Peer> {
  const { ca, ...own } = await certificates();
  const server = http2.createSecureServer({ ...own, settings });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    onStream(stream, headers);
  });
  server.on('sessionError', () => undefined);
  return listening(t, server, ca);
}

export interface Script extends Peer {
  readonly lines: readonly Line[];
}

/** Starts a server that by itself sends only its settings. Connections that it does not accept, by their index, are closed at once. */
export async function scripted(
  t: Test,
  settings: Parameters<typeof settingsFrame>[0] = [],
  accepts: (index: number) => boolean = () => true,
): Promise<Script> {
  const { ca, ...own } = await certificates();
  const lines: Line[] = [];
  let connections = 0;
  const server = tls.createServer({ ...own, ALPNProtocols: ['h2'] }, socket => {
    if (!accepts(connections++)) return void socket.destroy();
    const made = line(socket);
    made.say(settingsFrame(settings));
    lines.push(made);
  });
  return { ...(await listening(t, server, ca)), lines };
}

export function poolTo(t: Test, { origin, ca }: Pick<Peer, 'origin' | 'ca'>, connections: number | null = 32): Pool {
  const pool = openPool({ server: origin, ca }, { connections });
  t.teardown(() => pool.destroy());
  return pool;
}

export const request = (origin: string, more: Partial<PoolRequest> = {}): PoolRequest => ({
  ...{ origin, path: '/', method: 'GET', headers: { accept: 'application/json' }, body: undefined },
  ...{ timeoutMs: 20_000, isLong: false },
  ...more,
});

export const noLimit = { maxBytes: Infinity, deadline: Infinity, request: '' };

/** Sends a request. Resolves with the status and the text of the answer. */
export async function call(pool: Pool, origin: string, more: Partial<PoolRequest> = {}): Promise<string> {
  const answer = await send(pool, request(origin, more));
  return `${answer.status} ${(await answer.whole(noLimit)).toString()}`;
}

export const begin = (pool: Pool, origin: string, more: Partial<PoolRequest> = {}): Promise<Answer> =>
  send(pool, request(origin, more));
