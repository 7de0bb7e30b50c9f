import type { ClientDuplexStream, ServiceError, Client as GrpcClient, Metadata } from '@grpc/grpc-js';
import {
  Etcd3,
  type ICompactionRequest,
  type ICompactionResponse,
  type ILeaseGrantRequest,
  type ILeaseGrantResponse,
  type ILeaseRevokeRequest,
  type ILeaseRevokeResponse,
  type IOptions,
  type IRangeRequest,
  type IRangeResponse,
  type IStatusRequest,
  type IStatusResponse,
  type ITxnRequest,
  type ITxnResponse,
  type IWatchRequest,
  type IWatchResponse,
} from 'etcd3';
import type { Clock } from '../clock.js';
import { StorageError } from '../error.js';
import { type Failure, failureOf } from './errors.js';

/** The calls that the backend makes: method -> service, request, response. */
interface Calls {
  range: ['KV', IRangeRequest, IRangeResponse];
  txn: ['KV', ITxnRequest, ITxnResponse];
  compact: ['KV', ICompactionRequest, ICompactionResponse];
  leaseGrant: ['Lease', ILeaseGrantRequest, ILeaseGrantResponse];
  leaseRevoke: ['Lease', ILeaseRevokeRequest, ILeaseRevokeResponse];
  status: ['Maintenance', IStatusRequest, IStatusResponse];
}

const services: { readonly [M in keyof Calls]: Calls[M][0] } = {
  range: 'KV',
  txn: 'KV',
  compact: 'KV',
  leaseGrant: 'Lease',
  leaseRevoke: 'Lease',
  status: 'Maintenance',
};

export type WatchStream = ClientDuplexStream<IWatchRequest, IWatchResponse>;

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

export interface Answer<M extends keyof Calls> {
  readonly response: Calls[M][2];
  /** An earlier attempt failed in a way that does not tell whether it was done. */
  readonly repeated: boolean;
}

/** etcd, whichever member answers. The only file that touches the etcd3 package. */
export interface EtcdClient {
  /** Throws StorageError, or LeaseGone. */
  call<M extends keyof Calls>(method: M, request: Calls[M][1], deadlineMs?: number): Promise<Answer<M>>;
  /** A watch stream to the current endpoint, and which one that is. */
  watch(): Promise<WatchConnection>;
  /** The version of the endpoint's etcd. */
  version(endpoint: number): Promise<string | undefined>;
  readonly endpoints: number;
  close(): void;
}

/** A lease that a write wanted is gone. */
export class LeaseGone extends Error {}

type Unary = (
  request: unknown,
  metadata: Metadata,
  options: { readonly deadline: number },
  done: (error: ServiceError | null, response: unknown) => void,
) => void;

/**
 * One endpoint through etcd3's connection pool, without its ways with failures: errors come out as values, so that its circuit breaker and its
 * retries (which repeat transactions that may have been done) never see one.
 */
class Endpoint extends Etcd3 {
  unary<M extends keyof Calls>(
    method: M,
    request: Calls[M][1],
    deadline: number,
  ): Promise<{ readonly error: ServiceError | null; readonly response: Calls[M][2] }> {
    return this.pool.withConnection(
      services[method],
      ({ client, metadata }) =>
        new Promise(resolve => {
          const send = (client as unknown as Record<string, Unary>)[method];
          if (send === undefined) throw new Error(`etcd has no method ${method}`);
          send.call(client, request, metadata, { deadline }, (error, response) =>
            resolve({ error, response: response as Calls[M][2] }),
          );
        }),
    );
  }

  stream(): Promise<WatchStream> {
    return this.pool.withConnection('Watch', ({ client, metadata }) => {
      const asked = metadata.clone();
      // A member that lost its leader ends the stream instead of keeping it silent.
      asked.set('hasleader', 'true');
      return (client as GrpcClient & { watch(metadata: Metadata): WatchStream }).watch(asked);
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

  async function attempt<M extends keyof Calls>(
    used: Endpoint,
    method: M,
    request: Calls[M][1],
    deadline: number,
  ): Promise<{ readonly error: ServiceError | null; readonly response: Calls[M][2] }> {
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
        const { error, response } = await attempt(used, method, request, Date.now() + Math.min(attemptMs, left));
        if (error === null) return { response, repeated };
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
      const { error, response } = await attempt(member(index), 'status', {}, Date.now() + attemptMs);
      return error === null ? response.version : undefined;
    },
    close() {
      closing.abort();
      for (const one of members) one.close();
    },
  };
}
