/** Closes connections and streams whose clients do not read any of their pending data, since it holds memory. */
import type { Socket } from 'node:net';
import { IndexedSet, type Registration } from '../../../lib/collections/indexed-set.js';
import { errorCodes } from '../../../lib/http2/error.js';

/** An HTTP/2 connection. */
interface StallableSession {
  /** Bytes that wait to be sent, and that were sent. */
  readonly waiting: number;
  readonly left: number;
  /** When the last stream ended, in milliseconds of the same clock. */
  readonly idleSince: number;
  /** The open streams. */
  readonly streams: { readonly size: number };
  /** Those whose complete answers wait for the client. The writer of an incomplete answer waits for the client itself, with a timeout of its own. */
  readonly waitingStreams: ReadonlySet<StallableStream>;
  leave(): void;
  destroy(): void;
}

interface StallableStream {
  /** Pending bytes of the answer. */
  readonly unwanted: number;
  reset(code: number): void;
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

/** Looks at all connections, and at the streams that wait for their clients, in intervals. */
export class StalledClients {
  readonly #timeoutMs: number;
  readonly #idleMs: number;
  readonly #clock: () => number;
  readonly #sockets = new IndexedSet<SocketProgress>();
  readonly #sessions = new IndexedSet<SessionProgress>();
  readonly #timer: NodeJS.Timeout;

  /** `timeoutMs`: how long a client may read nothing; `idleMs`: after how long sessions without streams are closed. `clock`: milliseconds. */
  constructor(timeoutMs: number, idleMs: number, clock: () => number) {
    this.#timeoutMs = timeoutMs;
    this.#idleMs = idleMs;
    this.#clock = clock;
    this.#timer = setInterval(() => this.#sweep(), Math.min(timeoutMs / 4, 5000)).unref();
  }

  /** Adds an HTTP/1.1 connection. */
  socket(socket: Socket): void {
    const registration = this.#sockets.add({ socket, position: 0, since: this.#clock() });
    socket.once('close', () => registration.remove());
  }

  session(session: StallableSession): Registration {
    return this.#sessions.add({ session, position: 0, since: this.#clock(), streams: new Map() });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = this.#clock();
    for (const progress of this.#sockets.values()) this.#checkSocket(progress, now);
    for (const progress of this.#sessions.values()) this.#checkSession(progress, now);
  }

  #checkSocket(progress: SocketProgress, now: number): void {
    const { socket } = progress;
    if (socket.writableLength === 0) progress.since = now;
    else if (this.#isStuck(progress, socket.bytesWritten - socket.writableLength, now)) socket.destroy();
  }

  #checkSession(progress: SessionProgress, now: number): void {
    const { session } = progress;
    if (session.waiting === 0) progress.since = now;
    else if (this.#isStuck(progress, session.left, now)) return session.destroy();
    this.#checkStreams(session.waitingStreams, progress.streams, now);
    if (session.streams.size === 0 && now - session.idleSince > this.#idleMs) session.leave();
  }

  #checkStreams(waiting: ReadonlySet<StallableStream>, known: SessionProgress['streams'], now: number): void {
    for (const stream of known.keys()) if (!waiting.has(stream)) known.delete(stream);
    for (const stream of waiting) {
      const { unwanted } = stream;
      const progress = known.get(stream);
      if (progress === undefined) known.set(stream, { position: unwanted, since: now });
      else if (this.#isStuck(progress, unwanted, now)) stream.reset(errorCodes.internal);
    }
  }

  /** Reports whether the client has read nothing for too long. Records its position. */
  #isStuck(progress: Progress, position: number, now: number): boolean {
    if (position !== progress.position) {
      progress.position = position;
      progress.since = now;
    }
    return now - progress.since > this.#timeoutMs;
  }
}
