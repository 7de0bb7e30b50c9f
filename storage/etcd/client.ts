import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import { type Failure, failureOf } from './errors.js';
import { CallError, codes } from './grpc/call-error.js';
import { type GrpcConnection, type Reply, createConnection } from './grpc/connection.js';
import type { HeaderField } from '../../lib/http2/hpack.js';
import {
  type MethodName,
  type EtcdRequest,
  type Response,
  type WatchRequest,
  encodeWatch,
  methods,
  watchPath,
} from './messages.js';

export interface EtcdWatchStream {
  send(request: WatchRequest): void;
  /** WatchResponses, encoded. Throws CallError when the stream breaks off; ends when it is canceled. */
  messages(): AsyncIterable<Buffer>;
  cancel(): void;
}

export interface EtcdConnectionOptions {
  /** `https://host:port`; with several, calls move on to the next one when one does not answer. */
  readonly endpoints: readonly string[];
  /** PEM. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly auth?: { readonly username: string; readonly password: string };
  /** How long one endpoint may take to answer: 5 s by default. */
  readonly attemptMs?: number;
  /** How long a call may take with all its attempts: 10 s by default. */
  readonly callMs?: number;
}

interface WatchConnection {
  readonly stream: EtcdWatchStream;
  readonly endpoint: number;
  /** Reports that the stream broke off: the next one goes to another endpoint, or gets a new token. */
  readonly failed: (error: unknown) => void;
}

interface Answer<M extends MethodName> {
  readonly response: Response<M>;
  /** An earlier attempt failed without telling whether the request was applied. */
  readonly repeated: boolean;
}

/** The lease of a write is gone. */
export class LeaseGone extends Error {}

/** The result of one attempt. */
type AttemptResult<M extends MethodName> =
  { readonly error: CallError } | { readonly error: undefined; readonly response: Response<M> };

function resultOf<M extends MethodName>(method: M, reply: Reply): AttemptResult<M> {
  if (reply.error !== undefined) return reply;
  try {
    return { error: undefined, response: methods[method].decode(reply.message) as Response<M> };
  } catch (cause) {
    return { error: new CallError(codes.internal, `the answer cannot be read: ${String(cause)}`, { cause }) };
  }
}

/** The auth token as a header, or the reason why there is none. */
type Token = HeaderField | { readonly error: CallError };

/** Makes a member that lost its leader end the stream instead of keeping it silent. */
const watchHeaders: readonly HeaderField[] = [{ name: 'hasleader', value: 'true' }];

/** The pause in milliseconds after every endpoint has failed. */
const pauseMs = 100;

interface MemberOptions {
  readonly connection: GrpcConnection;
  readonly auth: EtcdConnectionOptions['auth'];
  /** Milliseconds for a request for a token. */
  readonly attemptMs: number;
}

/** One endpoint and its auth token. */
class Member {
  readonly connection: GrpcConnection;
  readonly #auth: EtcdConnectionOptions['auth'];
  readonly #attemptMs: number;
  /** Undefined: none is needed, or the last one was rejected. */
  #token: Promise<Token> | undefined;

  constructor({ connection, auth, attemptMs }: MemberOptions) {
    this.connection = connection;
    this.#auth = auth;
    this.#attemptMs = attemptMs;
  }

  /** Returns the token, or why there is none; undefined when none is needed. */
  token(): Promise<Token> | undefined {
    if (this.#auth === undefined || this.#token !== undefined) return this.#token;
    const pending = this.#authenticate(this.#auth);
    this.#token = pending;
    void pending.then(answer => {
      if ('error' in answer) this.rejected(pending);
    });
    return pending;
  }

  /** Reports that the token is not valid: the next call requests another one. */
  rejected(token: Promise<Token> | undefined): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** hot: without a token there is one promise. */
  async attempt<M extends MethodName>(
    token: Promise<Token> | undefined,
    method: M,
    request: EtcdRequest<M>,
    ms: number,
  ): Promise<AttemptResult<M>> {
    const { path, encode } = methods[method];
    const message = (encode as (request: EtcdRequest<M>) => Buffer)(request);
    if (token === undefined) return resultOf(method, await this.connection.unary(path, message, ms));
    const answer = await token;
    if ('error' in answer) return resultOf(method, answer);
    return resultOf(method, await this.connection.unary(path, message, ms, answer));
  }

  async #authenticate({ username, password }: NonNullable<EtcdConnectionOptions['auth']>): Promise<Token> {
    const { path, encode } = methods.authenticate;
    const reply = await this.connection.unary(path, encode({ name: username, password }), this.#attemptMs);
    const answer = resultOf('authenticate', reply);
    if (answer.error === undefined) return { name: 'token', value: answer.response.token };
    // The call that needed the token was not sent.
    const { code, details } = answer.error;
    return {
      error: new CallError(code, details, { refused: failureOf(answer.error).type === 'retry', cause: answer.error }),
    };
  }
}

/** A client of an etcd cluster, which uses whichever member answers. */
export class EtcdClient {
  readonly #clock: Clock;
  readonly #attemptMs: number;
  readonly #callMs: number;
  readonly #members: readonly Member[];
  readonly #closing = new AbortController();
  /** The index of the member that the next call uses. */
  #current = 0;

  constructor(options: EtcdConnectionOptions, clock: Clock) {
    const { endpoints, auth, attemptMs = 5000, callMs = 10_000, ...rest } = options;
    if (endpoints.length === 0) throw new Error('etcd needs at least one endpoint');
    this.#clock = clock;
    this.#attemptMs = attemptMs;
    this.#callMs = callMs;
    this.#members = endpoints.map(endpoint => {
      const connection = createConnection({ ...rest, endpoint, connectMs: attemptMs });
      return new Member({ connection, auth, attemptMs });
    });
  }

  /** Throws StorageError, or LeaseGone. */
  async call<M extends MethodName>(method: M, request: EtcdRequest<M>, deadlineMs = this.#callMs): Promise<Answer<M>> {
    const clock = this.#clock;
    const { signal } = this.#closing;
    const until = clock.now() + deadlineMs;
    let repeated = false;
    let last: CallError | undefined;
    for (let round = 1; clock.now() < until && !signal.aborted; round++) {
      const index = this.#current;
      const member = this.#member(index);
      const token = member.token();
      const answer = await member.attempt(token, method, request, Math.min(this.#attemptMs, until - clock.now()));
      if (answer.error === undefined) return { response: answer.response, repeated };
      last = answer.error;
      const failure = failureOf(last);
      if (failure.type === 'final') throw failure.error;
      if (failure.type === 'leaseGone') throw new LeaseGone();
      this.#moveOn(failure, index, token);
      if (failure.type === 'retry' && failure.applied === 'maybe') repeated = true;
      if (round % this.#members.length === 0) await clock.sleep(pauseMs, signal);
    }
    const why = signal.aborted ? 'the store is closed' : `etcd does not answer: ${last?.details ?? 'timeout'}`;
    throw new StorageError('unavailable', why, { cause: last });
  }

  /** Opens a watch stream to the current endpoint, which is returned with it. */
  async watch(): Promise<WatchConnection> {
    const endpoint = this.#current;
    const member = this.#member(endpoint);
    const token = member.token();
    const failed = (error: unknown): void => this.#moveOn(failureOf(error as CallError), endpoint, token);
    const answer = await token;
    if (answer !== undefined && 'error' in answer) {
      failed(answer.error);
      throw answer.error;
    }
    const stream = member.connection.stream(watchPath, watchHeaders, answer);
    return {
      stream: {
        send: request => stream.send(encodeWatch(request)),
        messages: () => stream.messages(),
        cancel: () => stream.cancel(),
      },
      endpoint,
      failed,
    };
  }

  /** Returns the version of the endpoint's etcd. */
  async version(endpoint: number): Promise<string | undefined> {
    const member = this.#member(endpoint);
    const answer = await member.attempt(member.token(), 'status', {}, this.#attemptMs);
    return answer.error === undefined ? answer.response.version : undefined;
  }

  close(): void {
    this.#closing.abort();
    for (const { connection } of this.#members) connection.close();
  }

  #member(index: number): Member {
    const found = this.#members[index];
    if (found === undefined) throw new Error(`no etcd endpoint ${index}`);
    return found;
  }

  /** Makes the next call use another endpoint, or request a new token. */
  #moveOn(failure: Failure, index: number, token: Promise<Token> | undefined): void {
    if (failure.type === 'token') this.#member(index).rejected(token);
    else if (index === this.#current) this.#current = (index + 1) % this.#members.length;
  }
}
