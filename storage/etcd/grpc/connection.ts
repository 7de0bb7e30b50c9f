import net from 'node:net';
import tls from 'node:tls';
import { CallError, codes } from './call-error.js';
import type { Field } from '../../../lib/http2/hpack.js';
import { MessageStream, type Waiting } from './message-stream.js';
import { CallSession } from './session.js';
import type { CallStream, CallOwner } from './stream.js';

export interface ConnectionOptions {
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

export interface Connection {
  /** hot: sends one message and returns one. Failures are values; `ms` is the deadline in milliseconds. */
  unary(path: string, message: Uint8Array, ms: number, secret?: Field): Promise<Reply>;
  /** Opens a call of many messages. `extra` headers are the same for every call of that path. */
  stream(path: string, extra: readonly Field[], secret?: Field): MessageStream;
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

const none: readonly Field[] = [];

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
  readonly #secret: Field | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly lasts = false;
  #resolve: ((reply: Reply) => void) | undefined;
  #answer: Buffer | undefined;
  #stream: CallStream | undefined;
  #session: CallSession | undefined;
  #receivedBefore = 0;

  constructor(path: string, message: Uint8Array, secret: Field | undefined, ms: number, resolve: (r: Reply) => void) {
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

/** Creates a connection to one peer, which connects when it is needed and again when it is lost. */
export function createConnection(options: ConnectionOptions): Connection {
  const peer = peerOf(options);
  /** The session that takes calls; earlier ones only finish theirs. */
  let current: CallSession | undefined;
  const sessions = new Set<CallSession>();
  /** Calls that wait for the connection that is being made. */
  let waiting: Waiting[] | undefined;
  let pauseMs = firstPauseMs;
  let pausedUntil = 0;
  let why = '';
  let closed = false;

  function failed(error: CallError): void {
    why = error.details.replace(/^Connection dropped: /, '');
    pausedUntil = performance.now() + pauseMs;
    pauseMs = Math.min(2 * pauseMs, lastPauseMs);
    const calls = waiting ?? [];
    waiting = undefined;
    for (const call of calls) call.end(notConnected(why));
  }

  function connect(): void {
    const socket = peer.connect();
    socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(new Error('timeout')), options.connectMs);
    let isReady = false;
    const session: CallSession = new CallSession({
      socket,
      authority: peer.authority,
      scheme: peer.scheme,
      silenceMs,
      answerMs,
      ready() {
        clearTimeout(timer);
        isReady = true;
        pauseMs = firstPauseMs;
        current = session;
        const calls = waiting ?? [];
        waiting = undefined;
        for (const call of calls) begin(call);
      },
      retired() {
        if (current === session) current = undefined;
      },
      closed(error) {
        clearTimeout(timer);
        sessions.delete(session);
        if (!isReady) failed(error);
      },
    });
    sessions.add(session);
  }

  function begin(call: Waiting): void {
    // Long calls leave room for others: where the number of calls is limited, they spread over several sessions.
    if (call.lasts && current?.isHalfFull === true) current.retire();
    if (current !== undefined) return call.begin(current);
    if (closed || performance.now() < pausedUntil) return call.end(notConnected(closed ? 'it is closed' : why));
    if (waiting !== undefined) return void waiting.push(call);
    waiting = [call];
    connect();
  }

  return {
    unary: (path, message, ms, secret) => new Promise(resolve => begin(new Call(path, message, secret, ms, resolve))),
    stream(path, extra, secret) {
      const stream = new MessageStream(path, extra, secret);
      begin(stream);
      return stream;
    },
    close() {
      closed = true;
      for (const session of [...sessions]) session.close(new CallError(codes.canceled, 'The connection is closed'));
    },
  };
}
