/** The HTTP/2 server behind the port. */
import type { Socket } from 'node:net';
import { Crowd } from '../../../lib/collections/crowd.js';
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
  readonly sessions: Crowd<Session>;
}

export function http2Server({ maxHeaderSize, clock, stalled, serve }: Http2Options): Http2Server {
  const sessions = new Crowd<Session>();
  return {
    sessions,
    take(socket, peer) {
      const session = new Session({
        socket,
        maxHeaderSize,
        clock,
        request: (stream, head, session) => serve(new Http2Exchange(stream, head, session, peer)),
      });
      const presences = [sessions.enter(session), stalled.session(session)];
      socket.once('close', () => {
        for (const presence of presences) presence.leave();
      });
    },
  };
}
