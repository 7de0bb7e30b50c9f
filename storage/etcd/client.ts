import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js';
import { Etcd3, type IOptions } from 'etcd3';
import type { Clock } from '../clock.js';
import { StorageError } from '../error.js';
import { type Failure, failureOf } from './errors.js';
import {
  type MethodName,
  type Request,
  type Response,
  type WatchRequest,
  type WatchResponse,
  decodeWatch,
  encodeWatch,
  methods,
} from './messages.js';

export type WatchStream = ClientDuplexStream<WatchRequest, WatchResponse>;

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

/** etcd, whichever member answers. The only file that touches the etcd3 package. */
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
  { readonly error: ServiceError } | { readonly error: undefined; readonly response: Response<M> };

type Status = Pick<ServiceError, 'details' | 'metadata'> & { readonly code: number };

/** Of gRPC: what came is not an answer. */
const internal = 13;

const errorOf = ({ code, details, metadata }: Status): ServiceError =>
  Object.assign(new Error(`${code} ${details}`), { code, details, metadata });

function ended<M extends MethodName>(method: M, status: Status, message: Buffer | undefined): Ended<M> {
  if (status.code !== 0) return { error: errorOf(status) };
  if (message === undefined) return { error: errorOf({ ...status, code: internal, details: 'No message received' }) };
  try {
    return { error: undefined, response: methods[method].decode(message) as Response<M> };
  } catch (error) {
    const details = `Response message parsing error: ${String(error)}`;
    return { error: errorOf({ ...status, code: internal, details }) };
  }
}

/**
 * One endpoint through etcd3's connection pool, without its ways with failures: errors come out as values, so that its circuit breaker and its
 * retries (which repeat transactions that may have been done) never see one.
 */
class Endpoint extends Etcd3 {
  /** hot: straight on gRPC's channel; its client would take a stack trace and run a chain of interceptors for each call. */
  unary<M extends MethodName>(method: M, request: Request<M>, deadline: number): Promise<Ended<M>> {
    const { service, path } = methods[method];
    const bytes = (methods[method].encode as (request: Request<M>) => Buffer)(request);
    return this.pool.withConnection(
      service,
      ({ client, metadata }) =>
        new Promise(resolve => {
          const call = client.getChannel().createCall(path, deadline, null, null, null);
          let message: Buffer | undefined;
          call.start(metadata, {
            onReceiveMetadata: () => undefined,
            onReceiveMessage(received: Buffer) {
              message = received;
            },
            onReceiveStatus: status => resolve(ended(method, status, message)),
          });
          call.startRead();
          call.sendMessageWithContext({}, bytes);
          call.halfClose();
        }),
    );
  }

  stream(): Promise<WatchStream> {
    return this.pool.withConnection('Watch', ({ client, metadata }) => {
      const asked = metadata.clone();
      // A member that lost its leader ends the stream instead of keeping it silent.
      asked.set('hasleader', 'true');
      return client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', encodeWatch, decodeWatch, asked);
    });
  }
}

const channel = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  // As kube-apiserver: a peer that vanished without a word is noticed after 40 s.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Counts calls for a service that nobody asks.
  'grpc.enable_channelz': 0,
};

/** Between attempts when every endpoint has failed. */
const pauseMs = 100;

export function createClient(options: EtcdConnectionOptions, clock: Clock): EtcdClient {
  const { endpoints, tls, auth, attemptMs = 5000, callMs = 10_000 } = options;
  if (endpoints.length === 0) throw new Error('etcd needs at least one endpoint');
  const closing = new AbortController();

  function connect(endpoint: string): Endpoint {
    const settings: IOptions = {
      hosts: endpoint,
      grpcOptions: channel,
      ...(tls === undefined
        ? {}
        : {
            credentials: {
              // Absent: those that the platform trusts, which etcd3's types leave out.
              rootCertificate: tls.ca as Buffer,
              ...(tls.key === undefined ? {} : { privateKey: tls.key }),
              ...(tls.cert === undefined ? {} : { certChain: tls.cert }),
            },
          }),
      ...(auth === undefined ? {} : { auth: { ...auth, callOptions: () => ({ deadline: Date.now() + attemptMs }) } }),
    };
    return new Endpoint(settings);
  }

  const members = endpoints.map(connect);
  let current = 0;

  function member(index: number): Endpoint {
    const found = members[index];
    if (found === undefined) throw new Error(`no etcd endpoint ${index}`);
    return found;
  }

  /** The next call goes elsewhere; for a new token to the same endpoint, with a new client. */
  function moveOn(failure: Failure, index: number, used: Endpoint): void {
    if (failure.type !== 'token') {
      if (index === current) current = (current + 1) % members.length;
    } else if (members[index] === used) {
      used.close();
      members[index] = connect(endpoints[index] ?? '');
    }
  }

  async function attempt<M extends MethodName>(
    used: Endpoint,
    method: M,
    request: Request<M>,
    deadline: number,
  ): Promise<Ended<M>> {
    try {
      return await used.unary(method, request, deadline);
    } catch (error) {
      // Not the call: what comes before it (a token that could not be had).
      throw new StorageError('unavailable', `etcd: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  return {
    endpoints: members.length,
    async call(method, request, deadlineMs = callMs) {
      const until = clock.now() + deadlineMs;
      let repeated = false;
      let last: ServiceError | undefined;
      for (let round = 1; clock.now() < until && !closing.signal.aborted; round++) {
        const index = current;
        const used = member(index);
        const left = until - clock.now();
        const answer = await attempt(used, method, request, Date.now() + Math.min(attemptMs, left));
        if (answer.error === undefined) return { response: answer.response, repeated };
        const { error } = answer;
        last = error;
        const failure = failureOf(error);
        if (failure.type === 'final') throw failure.error;
        if (failure.type === 'leaseGone') throw new LeaseGone();
        moveOn(failure, index, used);
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
      const failed = (error: unknown): void => moveOn(failureOf(error as ServiceError), endpoint, used);
      return { stream: await used.stream(), endpoint, failed };
    },
    async version(index) {
      const answer = await attempt(member(index), 'status', {}, Date.now() + attemptMs);
      return answer.error === undefined ? answer.response.version : undefined;
    },
    close() {
      closing.abort();
      for (const one of members) one.close();
    },
  };
}
