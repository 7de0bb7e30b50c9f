/** The contract of connections to one server, which is independent of the version of HTTP. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';

export interface PoolRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Percent-encoded path and query. */
  readonly path: string;
  readonly method: string;
  /** Values by names, or name, value, name, value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>> | readonly string[];
  readonly body: Uint8Array | AsyncIterable<Buffer> | undefined;
  /** Milliseconds until the head of the answer, and between two parts of its body; 0: no limit. */
  readonly timeoutMs: number;
  /** The answer lasts until one side ends it, as that of a watch. Such requests have limits of their own. */
  readonly isLong: boolean;
  /** The protocol to upgrade to, which only HTTP/1.1 can. */
  readonly upgrade?: string;
}

/** Controls a request that was passed to a pool. */
export interface RequestController {
  /** Ends the request. The handler's `onResponseError` is called with the reason. */
  abort(reason: Error): void;
  /** Takes no data until `resume`. */
  pause(): void;
  resume(): void;
}

/** Takes the answer to a request. An error that a method throws ends the request. The methods have the names and the order of undici's handlers. */
export interface AnswerHandler {
  /** Called before the request is sent, and again when it is sent anew: only the last controller is valid. */
  onRequestStart(controller: RequestController): void;
  /** Called for the answer, and for each interim one (1xx) before it. */
  onResponseStart(controller: RequestController, status: number, headers: IncomingHttpHeaders): void;
  onResponseData(controller: RequestController, chunk: Buffer): void;
  onResponseEnd(): void;
  /** Called at most once, instead of `onResponseEnd`. */
  onResponseError(controller: RequestController, error: Error): void;
  onRequestUpgrade?(controller: RequestController, status: number, headers: IncomingHttpHeaders, socket: Duplex): void;
}

/** Connections to one server. */
export interface Pool {
  dispatch(request: PoolRequest, handler: AnswerHandler): void;
  /**
   * Returns whether a request has a connection of its own while it is under way. With HTTP/2 many requests share one. True while the version is
   * unknown.
   */
  occupiesConnection(request: PoolRequest): boolean;
  /** Takes no more requests, and closes the connections when their requests have ended. Rejects if the pool is closed already. */
  close(): Promise<void>;
  /** Closes the connections at once. Their requests fail with the code `UND_ERR_DESTROYED`. */
  destroy(): Promise<void>;
}
