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
  /** WatchResponses, encoded. Throws CallError when it breaks off; ends when it is canceled. */
  messages(): AsyncIterable<Buffer>;
  cancel(): void;
}

export interface EtcdConnectionOptions {
  /** `https://host:port`; with several, calls move on to the next when one does not answer. */
  readonly endpoints: readonly string[];
  /** PEM. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly auth?: { readonly username: string; readonly password: string };
  /** How long one endpoint may take to answer: 5 s. */
  readonly attemptMs?: number;
  /** How long a call may take with all its attempts: 10 s. */
  readonly callMs?: number;
}

export interface WatchConnection {
  readonly stream: WatchStream;
  readonly endpoint: number;
  /** The stream broke off: the next one goes to another endpoint, or brings a new token. */
  failed(error: unknown): void;
}

export interface Answer<M extends MethodName> {
  readonly response: Response<M>;
  /** An earlier attempt failed in a way that does not tell whether it was done. */
  readonly repeated: boolean;
}

/** etcd, whichever member answers. */
export interface EtcdClient {
  /** Throws StorageError, or LeaseGone. */
  call<M extends MethodName>(method: M, request: Request<M>, deadlineMs?: number): Promise<Answer<M>>;
  /** A watch stream to the current endpoint, and which one that is. */
  watch(): Promise<WatchConnection>;
  /** The version of the endpoint's etcd. */
  version(endpoint: number): Promise<string | undefined>;
  readonly endpoints: number;
  close(): void;
}

/** A lease that a write wanted is gone. */
export class LeaseGone extends Error {}

/** How one attempt ended. */
type Ended<M extends MethodName> =
  { readonly error: CallError } | { readonly error: undefined; readonly response: Response<M> };

function ended<M extends MethodName>(method: M, reply: Reply): Ended<M> {
  if (reply.error !== undefined) return reply;
  try {
    return { error: undefined, response: methods[method].decode(reply.message) as Response<M> };
  } catch (cause) {
    return { error: new CallError(codes.internal, `the answer cannot be read: ${String(cause)}`, { cause }) };
  }
}

/** What proves who we are, or why there is none. */
type Token = Field | { readonly error: CallError };

/** One endpoint, and the token that it gave us. */
interface Member {
  readonly connection: Connection;
  /** Absent: none is needed, or the last one is forgotten. */
  token?: Promise<Token>;
}

/** A member that lost its leader ends the stream instead of keeping it silent. */
const watchHeaders: readonly Field[] = [{ name: 'hasleader', value: 'true' }];

/** Between attempts when every endpoint has failed. */
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

  /** The next call goes elsewhere, or asks for a new token. */
  function moveOn(failure: Failure, index: number, token: Member['token']): void {
    const failed = member(index);
    if (failure.type === 'token') {
      if (failed.token === token) delete failed.token;
    } else if (index === current) current = (current + 1) % members.length;
  }

  async function authenticate({ connection }: Member, name: string, password: string): Promise<Token> {
    const { path, encode } = methods.authenticate;
    const reply = await connection.unary(path, encode({ name, password }), attemptMs);
    const answer = ended('authenticate', reply);
    if (answer.error === undefined) return { name: 'token', value: answer.response.token };
    // Whatever was to be done with it was not done.
    const { code, details } = answer.error;
    return {
      error: new CallError(code, details, { refused: failureOf(answer.error).type === 'retry', cause: answer.error }),
    };
  }

  /** The token, or why there is none. */
  function tokenOf(used: Member): Promise<Token> | undefined {
    if (auth === undefined || used.token !== undefined) return used.token;
    const asked = authenticate(used, auth.username, auth.password);
    used.token = asked;
    void asked.then(answer => {
      if ('error' in answer && used.token === asked) delete used.token;
    });
    return asked;
  }

  /** hot: without a token there is one promise. */
  async function attempt<M extends MethodName>(
    used: Member,
    token: Member['token'],
    method: M,
    request: Request<M>,
    ms: number,
  ): Promise<Ended<M>> {
    const { path, encode } = methods[method];
    const message = (encode as (request: Request<M>) => Buffer)(request);
    if (token === undefined) return ended(method, await used.connection.unary(path, message, ms));
    const answer = await token;
    if ('error' in answer) return ended(method, answer);
    return ended(method, await used.connection.unary(path, message, ms, answer));
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
