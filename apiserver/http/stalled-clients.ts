/** Finds connections and streams whose clients take nothing of what waits for them: each holds memory for nobody. */
import type { Socket } from 'node:net';
import { IndexedSet, type Registration } from '../../lib/collections/indexed-set.js';
import { errorCodes } from '../../lib/http2/error.js';

/** A connection of many streams. */
export interface StallableSession {
  /** Bytes for the client that wait, and that have left. */
  readonly waiting: number;
  readonly left: number;
  /** When the last stream ended, by the same clock. */
  readonly idleSince: number;
  /** Those that are open. */
  readonly streams: { readonly size: number; values(): Iterable<StallableStream> };
  leave(): void;
  destroy(): void;
}

interface StallableStream {
  /** Bytes that the client does not want yet, of an answer that is complete. Who writes to one that is not waits, and gives up by himself. */
  readonly unwanted: number;
  reset(code: number): void;
}

export interface StalledClients {
  /** Of HTTP/1.1. */
  socket(socket: Socket): void;
  session(session: StallableSession): Registration;
  close(): void;
}

/** How far a client was, and since when. */
interface Progress {
  mark: number;
  since: number;
}

/** Of HTTP/1.1. */
interface Single extends Progress {
  readonly socket: Socket;
}

interface Line extends Progress {
  readonly session: StallableSession;
  readonly streams: Map<StallableStream, Progress>;
}

/** Milliseconds. `idle`: after which sessions without streams go. */
export function dropStalledClients(patience: number, idle: number, clock: () => number): StalledClients {
  const sockets = new IndexedSet<Single>();
  const sessions = new IndexedSet<Line>();

  /** Nothing moved for too long. */
  const isStuck = (progress: Progress, mark: number, now: number): boolean => {
    if (mark !== progress.mark) {
      progress.mark = mark;
      progress.since = now;
    }
    return now - progress.since > patience;
  };

  const checkSocket = (single: Single, now: number): void => {
    const { socket } = single;
    if (socket.writableLength === 0) single.since = now;
    else if (isStuck(single, socket.bytesWritten - socket.writableLength, now)) socket.destroy();
  };

  const checkStreams = (session: StallableSession, known: Line['streams'], now: number): void => {
    for (const stream of known.keys()) if (stream.unwanted === 0) known.delete(stream);
    for (const stream of session.streams.values()) {
      const { unwanted } = stream;
      if (unwanted === 0) continue;
      const progress = known.get(stream);
      if (progress === undefined) known.set(stream, { mark: unwanted, since: now });
      else if (isStuck(progress, unwanted, now)) stream.reset(errorCodes.internal);
    }
  };

  const checkSession = (line: Line, now: number): void => {
    const { session } = line;
    if (session.waiting === 0) line.since = now;
    else if (isStuck(line, session.left, now)) return session.destroy();
    checkStreams(session, line.streams, now);
    if (session.streams.size === 0 && now - session.idleSince > idle) session.leave();
  };

  const sweep = setInterval(
    () => {
      const now = clock();
      for (const single of sockets.values()) checkSocket(single, now);
      for (const line of sessions.values()) checkSession(line, now);
    },
    Math.min(patience / 4, 5000),
  );
  sweep.unref();

  return {
    socket(socket) {
      const registration = sockets.add({ socket, mark: 0, since: clock() });
      socket.once('close', () => registration.remove());
    },
    session: session => sessions.add({ session, mark: 0, since: clock(), streams: new Map() }),
    close: () => clearInterval(sweep),
  };
}
