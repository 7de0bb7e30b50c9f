import net from 'node:net';
import tls from 'node:tls';
import { CallError, codes } from './call-error.js';
import type { HeaderField } from '../../../lib/http2/hpack.js';
import { MessageStream, type Waiting } from './message-stream.js';
import { CallSession } from './session.js';
import type { CallStream, CallOwner } from './stream.js';

interface ConnectionOptions {
  /** `http://host:port`, or `https://...` */
  readonly endpoint: string;
  /** PEM. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  /** Milliseconds until the server has to be ready for calls. */
  readonly connectMs: number;
}

/** The result of a call. */
export type Reply =
  { readonly error: CallError } | { readonly error: undefined; readonly message: Buffer /** cut out of more */ };

export interface GrpcConnection {
  /** hot: sends one message and returns one. Failures are values; `ms` is the deadline in milliseconds. */
  unary(path: string, message: Uint8Array, ms: number, secret?: HeaderField): Promise<Reply>;
  /** Opens a call of many messages. `extra` headers are the same for every call of that path. */
  stream(path: string, extra: readonly HeaderField[], secret?: HeaderField): MessageStream;
  close(): void;
}

/** Milliseconds until the next attempt after a failed connection: the first pause, and the longest one. */
const firstPauseMs = 100;
const lastPauseMs = 1000;
/**
 * Milliseconds of silence before a ping, and until its answer. A vanished peer is noticed within 40 s, as by kube-apiserver; etcd accepts a
 * ping every 5 s at most.
 */
const silenceMs = 15_000;
const answerMs = 10_000;

const notConnected = (why: string): CallError =>
  new CallError(codes.unavailable, `No connection established: ${why}`, { refused: true });

const none: readonly HeaderField[] = [];

/** The name of HTTP/2 in TLS (ALPN). */
const http2 = 'h2';

interface Peer {
  readonly scheme: 'http' | 'https';
  readonly authority: string;
  connect(): net.Socket;
}

function peerOf({ endpoint, tls: trust }: ConnectionOptions): Peer {
  const { protocol, host, hostname, port } = new URL(endpoint);
  const secure = protocol === 'https:';
  const name = hostname.replace(/^\[|\]$/g, '');
  const address = { host: name, port: port === '' ? (secure ? 443 : 80) : Number(port) };
  if (!secure) return { scheme: 'http', authority: host, connect: () => net.connect(address) };
  const context = tls.createSecureContext({ ...trust });
  const servername = net.isIP(name) === 0 ? name : '';
  return {
    scheme: 'https',
    authority: host,
    connect() {
      const socket = tls.connect({
        ...address,
        secureContext: context,
        servername,
        ALPNProtocols: [http2],
        minVersion: 'TLSv1.2',
      });
      return socket.once('secureConnect', () => {
        if (socket.alpnProtocol !== http2) socket.destroy(new Error('it does not agree on HTTP/2'));
      });
    },
  };
}

/** One unary call, which may have to wait for a connection. */
class Call implements CallOwner, Waiting {
  readonly #path: string;
  readonly #message: Uint8Array;
  readonly #secret: HeaderField | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly lasts = false;
  #resolve: ((reply: Reply) => void) | undefined;
  #answer: Buffer | undefined;
  #stream: CallStream | undefined;
  #session: CallSession | undefined;
  #receivedBefore = 0;

  constructor(
    path: string,
    message: Uint8Array,
    secret: HeaderField | undefined,
    ms: number,
    resolve: (r: Reply) => void,
  ) {
    this.#path = path;
    this.#message = message;
    this.#secret = secret;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#timeOut(), ms);
  }

  begin(session: CallSession): void {
    if (this.#resolve === undefined) return;
    this.#session = session;
    this.#receivedBefore = session.received;
    this.#stream = session.open(this.#path, this, none, this.#secret);
    this.#stream.send(this.#message, true);
  }

  message(message: Buffer): void {
    this.#answer = message;
  }

  end(error: CallError | undefined): void {
    const answer = this.#answer;
    if (error !== undefined) this.#settle({ error });
    else if (answer === undefined) this.#settle({ error: new CallError(codes.internal, 'No message received') });
    else this.#settle({ error: undefined, message: answer });
  }

  #settle(reply: Reply): void {
    clearTimeout(this.#timer);
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(reply);
  }

  #timeOut(): void {
    if (this.#stream === undefined) return this.end(notConnected('timeout'));
    this.#stream.cancel();
    this.end(new CallError(codes.deadlineExceeded, 'Deadline exceeded', { refused: this.#stream.id === 0 }));
    // Nothing at all was received since: later calls get another connection.
    if (this.#session?.received === this.#receivedBefore) this.#session.retire();
  }
}

class PeerConnection implements GrpcConnection {
  readonly #peer: Peer;
  readonly #connectMs: number;
  readonly #sessions = new Set<CallSession>();
  /** The session that takes calls; earlier ones only finish theirs. */
  #current: CallSession | undefined;
  /** Calls that wait for the connection that is being made. */
  #waiting: Waiting[] | undefined;
  #pauseMs = firstPauseMs;
  #pausedUntil = 0;
  /** Why the last attempt to connect failed. */
  #why = '';
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#peer = peerOf(options);
    this.#connectMs = options.connectMs;
  }

  unary(path: string, message: Uint8Array, ms: number, secret?: HeaderField): Promise<Reply> {
    return new Promise(resolve => this.#begin(new Call(path, message, secret, ms, resolve)));
  }

  stream(path: string, extra: readonly HeaderField[], secret?: HeaderField): MessageStream {
    const stream = new MessageStream(path, extra, secret);
    this.#begin(stream);
    return stream;
  }

  close(): void {
    this.#closed = true;
    for (const session of [...this.#sessions]) session.close(new CallError(codes.canceled, 'The connection is closed'));
  }

  #begin(call: Waiting): void {
    // Long calls leave room for others: where the number of calls is limited, they spread over several sessions.
    if (call.lasts && this.#current?.isHalfFull === true) this.#current.retire();
    if (this.#current !== undefined) return call.begin(this.#current);
    if (this.#closed || performance.now() < this.#pausedUntil)
      return call.end(notConnected(this.#closed ? 'it is closed' : this.#why));
    if (this.#waiting !== undefined) return void this.#waiting.push(call);
    this.#waiting = [call];
    this.#connect();
  }

  #connect(): void {
    const { scheme, authority } = this.#peer;
    const socket = this.#peer.connect();
    socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(new Error('timeout')), this.#connectMs);
    let isReady = false;
    const session: CallSession = new CallSession({
      ...{ socket, authority, scheme, silenceMs, answerMs },
      ready: () => {
        clearTimeout(timer);
        isReady = true;
        this.#connected(session);
      },
      retired: () => {
        if (this.#current === session) this.#current = undefined;
      },
      closed: error => {
        clearTimeout(timer);
        this.#sessions.delete(session);
        if (!isReady) this.#failed(error);
      },
    });
    this.#sessions.add(session);
  }

  #connected(session: CallSession): void {
    this.#pauseMs = firstPauseMs;
    this.#current = session;
    for (const call of this.#takeWaiting()) this.#begin(call);
  }

  /** Delays the next attempt to connect, each time for longer. */
  #failed(error: CallError): void {
    this.#why = error.details.replace(/^Connection dropped: /, '');
    this.#pausedUntil = performance.now() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, lastPauseMs);
    for (const call of this.#takeWaiting()) call.end(notConnected(this.#why));
  }

  #takeWaiting(): readonly Waiting[] {
    const calls = this.#waiting ?? [];
    this.#waiting = undefined;
    return calls;
  }
}

/** Creates a connection to one peer, which connects when it is needed and again when it is lost. */
export const createConnection = (options: ConnectionOptions): GrpcConnection => new PeerConnection(options);
