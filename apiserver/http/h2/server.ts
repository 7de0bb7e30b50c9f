/** The HTTP/2 server behind the port. */
import type { Socket } from 'node:net';
import type { Exchange, Peer } from '../../interface.js';
import type { Stalls } from '../stalls.js';
import { Http2Exchange } from './exchange.js';
import { Session } from './session.js';

export interface Http2Options {
  readonly maxHeaderSize: number;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly stalled: Stalls;
  readonly serve: (exchange: Exchange) => void;
}

export interface Http2Server {
  /** Serves a connection whose handshake agreed on HTTP/2. */
  take(socket: Socket, peer: Peer): void;
  /** Those that are open. */
  readonly sessions: ReadonlySet<Session>;
}

export function http2Server({ maxHeaderSize, clock, stalled, serve }: Http2Options): Http2Server {
  const sessions = new Set<Session>();
  return {
    sessions,
    take(socket, peer) {
      const session = new Session({
        socket,
        maxHeaderSize,
        clock,
        request: (stream, head, session) => serve(new Http2Exchange(stream, head, session, peer)),
      });
      sessions.add(session);
      stalled.session(session);
      socket.once('close', () => {
        sessions.delete(session);
        stalled.forget(session);
      });
    },
  };
}
