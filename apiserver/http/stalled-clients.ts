/** Closes connections and streams whose clients do not read any of their pending data, since it holds memory. */
import type { Socket } from 'node:net';
import { IndexedSet, type Registration } from '../../lib/collections/indexed-set.js';
import { errorCodes } from '../../lib/http2/error.js';

/** An HTTP/2 connection. */
interface StallableSession {
  /** Bytes that wait to be sent, and that were sent. */
  readonly waiting: number;
  readonly left: number;
  /** When the last stream ended, in milliseconds of the same clock. */
  readonly idleSince: number;
  /** The open streams. */
  readonly streams: { readonly size: number; values(): Iterable<StallableStream> };
  leave(): void;
  destroy(): void;
}

interface StallableStream {
  /** Pending bytes of a complete answer. An incomplete answer counts as 0: its writer waits for the client, with a timeout of its own. */
  readonly unwanted: number;
  reset(code: number): void;
}

export interface StalledClients {
  /** Adds an HTTP/1.1 connection. */
  socket(socket: Socket): void;
  session(session: StallableSession): Registration;
  close(): void;
}

/** How far a client has read, and since when it has not read further. */
interface Progress {
  position: number;
  since: number;
}

/** An HTTP/1.1 connection. */
interface SocketProgress extends Progress {
  readonly socket: Socket;
}

interface SessionProgress extends Progress {
  readonly session: StallableSession;
  readonly streams: Map<StallableStream, Progress>;
}

/** `timeoutMs`: how long a client may read nothing; `idleMs`: after how long sessions without streams are closed. `clock`: milliseconds. */
export function dropStalledClients(timeoutMs: number, idleMs: number, clock: () => number): StalledClients {
  const sockets = new IndexedSet<SocketProgress>();
  const sessions = new IndexedSet<SessionProgress>();

  /** Reports whether the client has read nothing for too long. Records its position. */
  const isStuck = (progress: Progress, position: number, now: number): boolean => {
    if (position !== progress.position) {
      progress.position = position;
      progress.since = now;
    }
    return now - progress.since > timeoutMs;
  };

  const checkSocket = (progress: SocketProgress, now: number): void => {
    const { socket } = progress;
    if (socket.writableLength === 0) progress.since = now;
    else if (isStuck(progress, socket.bytesWritten - socket.writableLength, now)) socket.destroy();
  };

  const checkStreams = (session: StallableSession, known: SessionProgress['streams'], now: number): void => {
    for (const stream of known.keys()) if (stream.unwanted === 0) known.delete(stream);
    for (const stream of session.streams.values()) {
      const { unwanted } = stream;
      if (unwanted === 0) continue;
      const progress = known.get(stream);
      if (progress === undefined) known.set(stream, { position: unwanted, since: now });
      else if (isStuck(progress, unwanted, now)) stream.reset(errorCodes.internal);
    }
  };

  const checkSession = (progress: SessionProgress, now: number): void => {
    const { session } = progress;
    if (session.waiting === 0) progress.since = now;
    else if (isStuck(progress, session.left, now)) return session.destroy();
    checkStreams(session, progress.streams, now);
    if (session.streams.size === 0 && now - session.idleSince > idleMs) session.leave();
  };

  const sweep = setInterval(
    () => {
      const now = clock();
      for (const progress of sockets.values()) checkSocket(progress, now);
      for (const progress of sessions.values()) checkSession(progress, now);
    },
    Math.min(timeoutMs / 4, 5000),
  );
  sweep.unref();

  return {
    socket(socket) {
      const registration = sockets.add({ socket, position: 0, since: clock() });
      socket.once('close', () => registration.remove());
    },
    session: session => sessions.add({ session, position: 0, since: clock(), streams: new Map() }),
    close: () => clearInterval(sweep),
  };
}
