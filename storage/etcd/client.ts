import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import { type Failure, failureOf } from './errors.js';
import { CallError, codes } from './grpc/call-error.js';
import { type Connection, type Reply, createConnection } from './grpc/connection.js';
import type { Field } from '../../lib/http2/hpack.js';
import {
  type MethodName,
  type Request,
  type Response,
  type WatchRequest,
  encodeWatch,
  methods,
  watchPath,
} from './messages.js';

export interface WatchStream {
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

export interface WatchConnection {
  readonly stream: WatchStream;
  readonly endpoint: number;
  /** Reports that the stream broke off: the next one goes to another endpoint, or gets a new token. */
  failed(error: unknown): void;
}

export interface Answer<M extends MethodName> {
  readonly response: Response<M>;
  /** An earlier attempt failed without telling whether the request was applied. */
  readonly repeated: boolean;
}

/** A client of an etcd cluster, which uses whichever member answers. */
export interface EtcdClient {
  /** Throws StorageError, or LeaseGone. */
  call<M extends MethodName>(method: M, request: Request<M>, deadlineMs?: number): Promise<Answer<M>>;
  /** Opens a watch stream to the current endpoint, which is returned with it. */
  watch(): Promise<WatchConnection>;
  /** Returns the version of the endpoint's etcd. */
  version(endpoint: number): Promise<string | undefined>;
  readonly endpoints: number;
  close(): void;
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
type Token = Field | { readonly error: CallError };

/** One endpoint and its auth token. */
interface Member {
  readonly connection: Connection;
  /** Undefined: none is needed, or the last one was rejected. */
  token?: Promise<Token>;
}

/** Makes a member that lost its leader end the stream instead of keeping it silent. */
const watchHeaders: readonly Field[] = [{ name: 'hasleader', value: 'true' }];

/** The pause in milliseconds after every endpoint has failed. */
const pauseMs = 100;

export function createClient(options: EtcdConnectionOptions, clock: Clock): EtcdClient {
  const { endpoints, auth, attemptMs = 5000, callMs = 10_000, ...rest } = options;
  if (endpoints.length === 0) throw new Error('etcd needs at least one endpoint');
  const closing = new AbortController();
  const members = endpoints.map((endpoint): Member => ({
    connection: createConnection({ ...rest, endpoint, connectMs: attemptMs }),
  }));
  let current = 0;

  function member(index: number): Member {
    const found = members[index];
    if (found === undefined) throw new Error(`no etcd endpoint ${index}`);
    return found;
  }

  /** Makes the next call use another endpoint, or request a new token. */
  function moveOn(failure: Failure, index: number, token: Member['token']): void {
    const failed = member(index);
    if (failure.type === 'token') {
      if (failed.token === token) delete failed.token;
    } else if (index === current) current = (current + 1) % members.length;
  }

  async function authenticate({ connection }: Member, name: string, password: string): Promise<Token> {
    const { path, encode } = methods.authenticate;
    const reply = await connection.unary(path, encode({ name, password }), attemptMs);
    const answer = resultOf('authenticate', reply);
    if (answer.error === undefined) return { name: 'token', value: answer.response.token };
    // The call that needed the token was not sent.
    const { code, details } = answer.error;
    return {
      error: new CallError(code, details, { refused: failureOf(answer.error).type === 'retry', cause: answer.error }),
    };
  }

  /** Returns the token, or why there is none. */
  function tokenOf(used: Member): Promise<Token> | undefined {
    if (auth === undefined || used.token !== undefined) return used.token;
    const pending = authenticate(used, auth.username, auth.password);
    used.token = pending;
    void pending.then(answer => {
      if ('error' in answer && used.token === pending) delete used.token;
    });
    return pending;
  }

  /** hot: without a token there is one promise. */
  async function attempt<M extends MethodName>(
    used: Member,
    token: Member['token'],
    method: M,
    request: Request<M>,
    ms: number,
  ): Promise<AttemptResult<M>> {
    const { path, encode } = methods[method];
    const message = (encode as (request: Request<M>) => Buffer)(request);
    if (token === undefined) return resultOf(method, await used.connection.unary(path, message, ms));
    const answer = await token;
    if ('error' in answer) return resultOf(method, answer);
    return resultOf(method, await used.connection.unary(path, message, ms, answer));
  }

  return {
    endpoints: members.length,
    async call(method, request, deadlineMs = callMs) {
      const until = clock.now() + deadlineMs;
      let repeated = false;
      let last: CallError | undefined;
      for (let round = 1; clock.now() < until && !closing.signal.aborted; round++) {
        const index = current;
        const used = member(index);
        const token = tokenOf(used);
        const answer = await attempt(used, token, method, request, Math.min(attemptMs, until - clock.now()));
        if (answer.error === undefined) return { response: answer.response, repeated };
        const { error } = answer;
        last = error;
        const failure = failureOf(error);
        if (failure.type === 'final') throw failure.error;
        if (failure.type === 'leaseGone') throw new LeaseGone();
        moveOn(failure, index, token);
        if (failure.type === 'retry' && failure.applied === 'maybe') repeated = true;
        if (round % members.length === 0) await clock.sleep(pauseMs, closing.signal);
      }
      const why = closing.signal.aborted
        ? 'the store is closed'
        : `etcd does not answer: ${last?.details ?? 'timeout'}`;
      throw new StorageError('unavailable', why, { cause: last });
    },
    async watch() {
      const endpoint = current;
      const used = member(endpoint);
      const token = tokenOf(used);
      const failed = (error: unknown): void => moveOn(failureOf(error as CallError), endpoint, token);
      const answer = await token;
      if (answer !== undefined && 'error' in answer) {
        failed(answer.error);
        throw answer.error;
      }
      const stream = used.connection.stream(watchPath, watchHeaders, answer);
      return {
        stream: {
          send: request => stream.send(encodeWatch(request)),
          messages: () => stream.messages(),
          cancel: () => stream.cancel(),
        },
        endpoint,
        failed,
      };
    },
    async version(index) {
      const used = member(index);
      const answer = await attempt(used, tokenOf(used), 'status', {}, attemptMs);
      return answer.error === undefined ? answer.response.version : undefined;
    },
    close() {
      closing.abort();
      for (const { connection } of members) connection.close();
    },
  };
}
