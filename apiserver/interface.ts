/**
 * The HTTP edge: what a request is, whatever carries it, and the places where others plug in. Below stand promises only.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Attributes } from '../authn/interface.js';
import type { Lane } from '../lib/turn-queue.js';
import type { Status } from '../apimachinery/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import type { ResourceDefinition } from '../registry/interface.js';

/** Lower-case names. A list becomes one header line per entry. */
export type ResponseHeaders = Record<string, string | string[] | number>;

/** The other end of a connection. Made once per connection, so that its certificate is read once. */
export interface Peer {
  /** DER; sent by the client, verified by nobody yet. */
  readonly certificate: Uint8Array | undefined;
  readonly address: string;
}

/** One request and its answer, over HTTP/1.1 or an HTTP/2 stream. Exactly one of `respond`, `stream` and `takeOver` answers it, once. */
export interface HttpExchange {
  /** Upper-case. */
  readonly method: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  /** As sent, without the question mark; '' when there is none. */
  readonly query: string;
  /** Lower-case names; a header that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Name, value, name, value, as they came. */
  readonly rawHeaders: readonly string[];
  readonly peer: Peer;
  /** Runs what the requests of this connection do when it is the connection's turn. */
  readonly lane: Lane;
  readonly protocol: 'HTTP/1.1' | 'HTTP/2.0';
  /** True once an answer was begun. */
  readonly answered: boolean;
  /** The whole request body. Rejects with 413 beyond `limit` bytes. */
  body(limit: number): Promise<Buffer>;
  /**
   * The request body as it comes, at the pace of the reader; undefined when the request has none. In place of `body`. Rejects when the
   * client is gone; a reader may stop before the end.
   */
  incoming(): AsyncIterable<Buffer> | undefined;
  respond(status: number, headers: ResponseHeaders, body: Buffer | undefined): void;
  stream(status: number, headers: ResponseHeaders): ResponseStream;
  /** Ends an answer that was begun and cannot be completed, so that the client notices. */
  abort(): void;
  /** Ends the connection once what was asked on it is answered. To be called before the answer. */
  leave(): void;
  /** Called once when an answer is begun, with its status. One listener. */
  onAnswer(listener: (status: number) => void): void;
  /** Called once when the connection or stream is gone, answered or not. */
  onClose(listener: () => void): void;
  /** The protocol that the client wants to go on with (`websocket`, `SPDY/3.1`); undefined when it is HTTP. */
  readonly upgrades: string | undefined;
  /** The socket of a request with `Upgrade`, to be answered by hand; undefined for all others. */
  takeOver(): Upgrade | undefined;
}

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent after the request. */
  readonly head: Buffer;
}

/** A body written piece by piece. */
export interface ResponseStream {
  /** False: the client is behind; await `drained` before the next write. */
  write(chunk: Buffer): boolean;
  /** Several chunks that leave together. Answers as `write` does. */
  writeAll(chunks: readonly Buffer[]): boolean;
  /** Resolves when the client caught up, or is gone. */
  drained(): Promise<void>;
  end(): void;
  readonly closed: boolean;
}

/** What method, path and query of a request ask for. */
export interface RequestInfo {
  readonly isResource: boolean;
  /** Percent-decoded. */
  readonly path: string;
  /** The API verb, or the lower-case method when the path is no resource. '' when a resource knows no such method. */
  readonly verb: string;
  readonly prefix: '' | 'api' | 'apis';
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path from the resource on: resource, name, subresource, and whatever follows. */
  readonly parts: readonly string[];
  /** The verb stands in the path (`/api/v1/watch/...`), as clients of long ago write it. */
  readonly verbInPath: boolean;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
}

/** Collects what the audit log may record of one request. The audit policy decides how much of it is kept. */
export interface AuditTrail {
  /** The first value of a key stays. */
  annotate(key: string, value: string): void;
  /** Who is impersonated, and by which constrained verb; '' when by the plain one. */
  impersonated(user: Identity, constraint: string): void;
  /** An object, patch or options that the client sent, before anybody changes it. */
  requestObject(object: object): void;
  /** A patch as it was sent. */
  requestPatch(json: () => string): void;
  /** Bodies of answers are wanted. */
  readonly wantsResponse: boolean;
  /** JSON of the answer. */
  responseObject(json: string): void;
  /** The answer is a Status. */
  responseStatus(status: Status): void;
  /** Something failed that is no answer of the API. */
  panicked(error: unknown): void;
}

/** A request on its way through the filters. */
export interface RequestContext {
  readonly exchange: HttpExchange;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly auditId: string;
  /** Milliseconds of `performance.now()`. */
  readonly received: number;
  readonly user: Identity;
  /** Aborted when the client leaves, the deadline passes or the server stops. Made when first asked for. */
  readonly signal: AbortSignal;
  /** Text of a Warning header of the answer. */
  warn(text: string): void;
  /** The headers that every answer carries. */
  answerHeaders(): ResponseHeaders;
}

/** The parameters of a request as Go's url.ParseQuery reads them. */
export interface Query {
  /** The first value; undefined when the parameter is absent. */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
  readonly empty: boolean;
}

/** A connect subresource (`pods/exec`, `clusters/proxy`): streams and upgrades, served by aggregation. */
export interface ConnectRequest extends RequestContext {
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What follows the subresource, with its leading slash; '' when nothing does. As sent, percent-encoded. */
  readonly rest: string;
}

export type Connect = (request: ConnectRequest) => Promise<void>;

/** Asked before our own kinds: serves paths that belong to other servers (APIServices), or says undefined. */
export type Delegate = (info: RequestInfo) => ((request: RequestContext) => Promise<void>) | undefined;

/** A named check of /healthz, /livez or /readyz. Resolves when well, rejects with what is wrong. */
export interface HealthCheck {
  readonly name: string;
  readonly endpoints: readonly ('healthz' | 'livez' | 'readyz')[];
  check(): Promise<void> | void;
}

export type { Attributes };
