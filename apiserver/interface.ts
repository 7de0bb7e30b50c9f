/**
 * The contracts of the HTTP layer: requests over HTTP/1.1 and HTTP/2, and the extension points for other layers.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Attributes } from '../authn/interface.js';
import type { Lane } from '../lib/turn-queue.js';
import type { Status } from '../apimachinery/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import type { ResourceDefinition } from '../registry/interface.js';
import type { Maybe } from '../lib/maybe.js';

/** Headers by lower-case names. A list becomes one header line per entry. */
export type ResponseHeaders = Record<string, string | string[] | number>;

/** The other end of a connection. Created once per connection, so that its certificate is read once. */
export interface Peer {
  /** The client's certificate in DER. It is not verified yet. */
  readonly certificate: Uint8Array | undefined;
  readonly address: string;
  /** The network of the address (`http/connections/peer.ts`). */
  readonly network: string;
}

/** One request and its answer, over HTTP/1.1 or an HTTP/2 stream. Exactly one of `respond`, `stream` and `takeOver` answers it, once. */
export interface HttpExchange {
  /** The method in upper case. */
  readonly method: string;
  /** The path as sent: percent-encoded, without the query. */
  readonly path: string;
  /** The query as sent, without the question mark; '' when there is none. */
  readonly query: string;
  /** Headers by lower-case names; the values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly peer: Peer;
  /** Runs the tasks of this connection's requests in its turns of the event loop. */
  readonly lane: Lane;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2.0';
  /** True once an answer is begun. */
  readonly answered: boolean;
  /** Reads the whole request body. Rejects with 413 beyond `limit` bytes, with 400 when the client disconnects before its end. */
  body(limit: number): Promise<Buffer>;
  /**
   * Returns the request body as it arrives, at the pace of the reader; undefined when the request has none. To be called instead of `body`.
   * The iteration rejects when the client disconnects; a reader may stop before the end.
   */
  incoming(): AsyncIterable<Buffer> | undefined;
  respond(status: number, headers: ResponseHeaders, body: Buffer | undefined): void;
  stream(status: number, headers: ResponseHeaders): ResponseStream;
  /** Ends an answer that was begun and cannot be completed, so that the client notices. */
  abort(): void;
  /** Ends the connection once its requests are answered (GOAWAY, `Connection: close`). To be called before the answer. */
  leave(): void;
  /** Sets the only listener that is called when an answer is begun, with its status. */
  onAnswer(listener: (status: number) => void): void;
  /**
   * Adds a listener that is called once when the connection or stream is closed, answered or not, or when the client of an HTTP/1.1 connection sends
   * nothing more. That client may have gone, or still read its answer. as net/http server.go connReader.handleReadError
   */
  onClose(listener: () => void): void;
  /** The protocol that the client wants to upgrade to (`websocket`, `SPDY/3.1`); undefined without an upgrade. */
  readonly upgrades: string | undefined;
  /** Returns the socket of an upgrade, on which the caller writes the answer; undefined for other requests. */
  takeOver(): Upgrade | undefined;
}

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the client sent after the request. */
  readonly head: Buffer;
}

/**
 * A body that is written in chunks, by one writer.
 *
 * A stream keeps a reference to each chunk until the chunk is sent; it does not copy the bytes, and several streams may send the same chunk. The bytes
 * of a chunk must not change after it is written. The one exception is a writer that is the only owner of a buffer: it may reuse the buffer once
 * `drained` has resolved to true. Breaking this rule sends bytes of one client to another.
 */
export interface ResponseStream {
  /** Writes a chunk. Returns false when the client is behind: the writer awaits `drained` before it writes again. */
  write(chunk: Buffer): boolean;
  /** Writes chunks that are sent together. The list does not change afterwards either: streams that get the same list share one copy. */
  writeAll(chunks: readonly Buffer[]): boolean;
  /**
   * Resolves when the client has caught up, or is gone. True: the stream does not refer to any chunk that was written. False: it may, so
   * the chunks are left to the garbage collector.
   */
  drained(): Promise<boolean>;
  end(): void;
  readonly closed: boolean;
}

/** The meaning of method, path and query of a request. */
export interface RequestInfo {
  readonly isResource: boolean;
  /** The percent-decoded path. */
  readonly path: string;
  /** The API verb; the lower-case method when the path is no resource; '' when resources have no verb for the method. */
  readonly verb: string;
  readonly prefix: '' | 'api' | 'apis';
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The segments of the path from the resource on: resource, name, subresource, and any further ones. */
  readonly parts: readonly string[];
  /** The path contains the verb (`/api/v1/watch/...`), the deprecated form. */
  readonly verbInPath: boolean;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

/** Collects what the audit log may record of one request. The audit policy decides how much of it is kept. */
export interface AuditTrail {
  /** Adds an annotation. Only the first value of a key counts. */
  annotate(key: string, value: string): void;
  /** Records the impersonated user, and the constrained verb that allowed it; '' for the unconstrained one. */
  impersonated(user: Identity, constraint: string): void;
  /** Records an object or options that the client sent, before they are changed. */
  requestObject(object: object): void;
  /** Records a patch as it was sent. */
  requestPatch(json: () => string): void;
  /** True when bodies of answers are recorded. */
  readonly wantsResponse: boolean;
  /** Records the JSON of the answer. */
  responseObject(json: string): void;
  /** Records an answer that is a Status. */
  responseStatus(status: Status): void;
  /** Records an error that is no answer of the API. */
  panicked(error: unknown): void;
}

/** A request that passes the filters. */
export interface RequestContext {
  readonly exchange: HttpExchange;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly auditId: string;
  /** Milliseconds of `performance.now()`. */
  readonly received: number;
  readonly user: Identity;
  /** The whole body of a write, which is read before the write is authorized; undefined for other requests, whose body `exchange` reads. */
  readonly wholeBody: Promise<Buffer> | undefined;
  /** Aborts when the client disconnects, the deadline passes or the server stops. Created at the first access. */
  readonly signal: AbortSignal;
  /** Adds a Warning header with this text to the answer. */
  warn(text: string): void;
  /** Returns the headers of every answer. */
  answerHeaders(): ResponseHeaders;
}

/** The parameters of a request as Go's url.ParseQuery reads them. */
export interface Query {
  /** Returns the first value; undefined when the parameter is missing. */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
  readonly empty: boolean;
}

/** A request for a connect subresource (`pods/exec`, `clusters/proxy`), with streams or upgrades. */
export interface ConnectRequest extends RequestContext {
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The path after the subresource, with its leading slash, as sent (percent-encoded); '' when there is none. */
  readonly rest: string;
}

export type ConnectHandler = (request: ConnectRequest) => Promise<void>;

/** A request to a kubelet, or to a server in a Pod. */
export interface BackendRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Percent-encoded path with a leading slash and without query. */
  readonly path: string;
  readonly query: string;
  /** `kubelet`: with the client certificate for kubelets, and their certificates are verified. The others are not verified. */
  readonly trust: 'kubelet' | 'unverified-kubelet' | 'workload';
  /** Milliseconds until the answer begins; 0: no limit. */
  readonly headMs: number;
}

/** What becomes of the answer of a backend. */
export interface BackendAnswers {
  /** Returns the error for a failure to reach the backend, from Go's text for it. */
  readonly failure: (text: string) => Error;
  /** Returns an error instead of an answer with this status; absent: every answer is passed on. `text` is the beginning of its body. */
  readonly refusal?: ((status: number, text: string) => Error) | undefined;
  /** Returns the headers to send instead of those of the answer. */
  readonly headers?: (headers: ResponseHeaders) => ResponseHeaders;
}

/** An upgrade without a request of a client behind it. */
export interface BackendUpgrade extends BackendRequest {
  /** The protocol to upgrade to. */
  readonly protocol: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
}

/** The answer to an upgrade. Without a socket it is a refusal with the beginning of its body. */
export type BackendUpgraded =
  | { readonly socket: Duplex; readonly headers: Readonly<Record<string, string | string[] | undefined>> }
  | { readonly socket?: undefined; readonly status: number; readonly body: string };

/** Connects to the kubelets of nodes, and to servers in Pods. */
export interface Backends {
  /** Forwards a request or its upgrade, without the credentials of the client, and streams the answer. `ownHeaders` replace those of the client. */
  forward(
    context: RequestContext,
    request: BackendRequest & { readonly ownHeaders?: readonly string[] },
    answers: BackendAnswers,
  ): Promise<void>;
  /** Upgrades a connection. Rejects with an Error that has Go's text when the backend cannot be reached, and when the signal aborts. */
  upgrade(request: BackendUpgrade, signal: AbortSignal): Promise<BackendUpgraded>;
}

/** Returns a function that serves a path of another server (APIServices); undefined for paths of this server. Called before the catalogue is searched. */
export type Delegate = (info: RequestInfo) => ((request: RequestContext) => Promise<void>) | undefined;

/** A named check of /healthz, /livez or /readyz. `check` throws or rejects with an error when it fails. */
export interface HealthCheck {
  readonly name: string;
  readonly endpoints: readonly ('healthz' | 'livez' | 'readyz')[];
  check(): Maybe<void>;
}

export type { Attributes };
