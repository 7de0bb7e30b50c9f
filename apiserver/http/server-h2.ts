/** The HTTP/2 server behind the port: bare `stream` events, since the compatibility layer of node:http2 costs a third. */
import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type tls from 'node:tls';
import type { Exchange, Peer } from '../interface.js';
import { Http2Exchange } from './exchange-h2.js';
import { closeGracefully } from './graceful-close.js';
import { nobody } from './peer.js';
import type { Stalls } from './stalls.js';

export interface Http2Options {
  readonly maxHeaderSize: number;
  readonly stalled: Stalls;
  readonly serve: (exchange: Exchange) => void;
}

export interface Http2Server {
  /** Serves a connection whose handshake agreed on HTTP/2. */
  take(socket: tls.TLSSocket, peer: Peer): void;
  /** Those that are open. */
  readonly sessions: ReadonlySet<ServerHttp2Session>;
}

/**
 * A session may hold this many MB of responses that its client does not read yet. With node's default of 10 a few large
 * answers at once on one connection end in ENHANCE_YOUR_CALM.
 */
const maxSessionMemory = 1000;

export function http2Server({ maxHeaderSize, stalled, serve }: Http2Options): Http2Server {
  const sessions = new Set<ServerHttp2Session>();
  const peers = new WeakMap<object, Peer>();
  /** Of the socket that is being handed over: the session is made before `emit` returns. */
  let arriving: Peer | undefined;
  // as apiserver/pkg/server/secure_serving.go: what one client may have open, and how much it may send ahead
  const settings = {
    maxConcurrentStreams: 250,
    initialWindowSize: 256 * 1024,
    maxFrameSize: 256 * 1024,
    maxHeaderListSize: maxHeaderSize,
  };
  const server = http2.createServer({ settings, maxSessionMemory });
  server.on('session', session => {
    if (arriving) peers.set(session, arriving);
    sessions.add(session);
    closeGracefully(session);
    stalled.session(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined); // a client that broke off
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]) => {
    if (stream.session) stalled.stream(stream.session as ServerHttp2Session, stream);
    serve(new Http2Exchange(stream, headers, raw, flags, peers.get(stream.session ?? stream) ?? nobody));
  });
  return {
    sessions,
    take(socket, peer) {
      arriving = peer;
      server.emit('connection', socket);
      arriving = undefined;
    },
  };
}
