/** The HTTP/2 server behind the port. */
import type { Socket } from 'node:net';
import { IndexedSet } from '../../../lib/collections/indexed-set.js';
import type { HttpExchange } from '../../interface.js';
import type { Connection } from '../connection.js';
import type { StalledClients } from '../stalled-clients.js';
import { Http2Exchange } from './exchange.js';
import { Session } from './session.js';

export interface Http2Options {
  readonly maxHeaderSize: number;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly stalled: StalledClients;
  readonly serve: (exchange: HttpExchange) => void;
}

export interface Http2Server {
  /** Serves a connection whose handshake agreed on HTTP/2. */
  take(socket: Socket, connection: Connection): void;
  /** Those that are open. */
  readonly sessions: IndexedSet<Session>;
}

export function http2Server({ maxHeaderSize, clock, stalled, serve }: Http2Options): Http2Server {
  const sessions = new IndexedSet<Session>();
  return {
    sessions,
    take(socket, connection) {
      const session = new Session({
        socket,
        maxHeaderSize,
        clock,
        request: (stream, head, session) =>
          connection.lane.run(() => {
            if (!stream.closed) serve(new Http2Exchange(stream, head, session, connection));
          }),
      });
      const registrations = [sessions.add(session), stalled.session(session)];
      socket.once('close', () => {
        for (const registration of registrations) registration.remove();
      });
    },
  };
}
