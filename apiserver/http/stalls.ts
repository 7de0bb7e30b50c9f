/** Finds connections and streams whose clients take nothing of what waits for them: each holds memory for nobody. */
import type { Socket } from 'node:net';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

export interface Stalls {
  /** Of HTTP/1.1: what HTTP/2 sends does not show in its socket. */
  socket(socket: Socket): void;
  session(session: ServerHttp2Session): void;
  /** hot: with each stream. */
  stream(session: ServerHttp2Session, stream: ServerHttp2Stream): void;
  close(): void;
}

interface Progress {
  /** Bytes that have left. */
  left: number;
  since: number;
}

/** Milliseconds. `idle`: after which sessions without streams go. */
export function stalls(patience: number, idle: number, clock: () => number): Stalls {
  const sockets = new Map<Socket, Progress>();
  const sessions = new Map<ServerHttp2Session, { since: number; readonly streams: Map<ServerHttp2Stream, number> }>();

  const checkSocket = (socket: Socket, progress: Progress, now: number): void => {
    const left = socket.bytesWritten - socket.writableLength;
    if (left !== progress.left || socket.writableLength === 0) {
      progress.left = left;
      progress.since = now;
    } else if (now - progress.since > patience) socket.destroy();
  };

  /** A stream whose answer is complete and not through. Watches are never complete: who writes to them waits, and gives up by himself. */
  const checkStreams = (streams: Map<ServerHttp2Stream, number>, now: number): void => {
    for (const [stream, since] of streams)
      if (!stream.writableEnded) streams.set(stream, now);
      else if (now - since > patience) stream.destroy(new Error('the client does not read'));
  };

  const sweep = setInterval(
    () => {
      const now = clock();
      for (const [socket, progress] of sockets) checkSocket(socket, progress, now);
      for (const [session, known] of sessions) {
        checkStreams(known.streams, now);
        if (known.streams.size > 0) known.since = now;
        else if (now - known.since > idle) session.close();
      }
    },
    Math.min(patience / 4, 5000),
  );
  sweep.unref();

  return {
    socket(socket) {
      sockets.set(socket, { left: 0, since: clock() });
      socket.once('close', () => sockets.delete(socket));
    },
    session(session) {
      sessions.set(session, { since: clock(), streams: new Map() });
      session.once('close', () => sessions.delete(session));
    },
    stream(session, stream) {
      const known = sessions.get(session);
      if (!known) return;
      known.streams.set(stream, clock());
      stream.once('close', () => {
        known.streams.delete(stream);
        known.since = clock(); // short requests are hardly ever seen by the sweep
      });
    },
    close: () => clearInterval(sweep),
  };
}
