import type { Socket } from 'node:net';
import { IndexedSet } from '../../../lib/collections/indexed-set.js';
import type { HttpExchange } from '../../interface.js';
import type { ClientConnection } from '../connections/client-connection.js';
import type { StalledClients } from '../connections/stalled-clients.js';
import { ClosedStreams } from './closed-streams.js';
import { Http2Exchange } from './exchange.js';
import { HttpDate } from './http-date.js';
import { ServerSession } from './session.js';

interface Http2Options {
  /** Bytes of the headers of one request. */
  readonly maxHeaderSize: number;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly stalled: StalledClients;
  readonly serve: (exchange: HttpExchange) => void;
}

export interface Http2Server {
  /** Serves a connection whose handshake agreed on HTTP/2. */
  take(socket: Socket, connection: ClientConnection): void;
  /** The open sessions. */
  readonly sessions: IndexedSet<ServerSession>;
}

/** Creates the HTTP/2 server of a port. It has no socket of its own. */
export function http2Server({ maxHeaderSize, clock, stalled, serve }: Http2Options): Http2Server {
  const sessions = new IndexedSet<ServerSession>();
  const shared = { maxHeaderSize, clock, closedStreams: new ClosedStreams(), date: new HttpDate() };
  return {
    sessions,
    take(socket, connection) {
      const session = new ServerSession({
        ...shared,
        socket,
        copies: connection.copies,
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
