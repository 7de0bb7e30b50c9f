import type { Endpoint, RawRequest, RawResponse } from '../interface.js';
import type { ObserveClient } from './client-series.js';
import { bounded, type BodyLimit, whole } from './bounded.js';
import { type Dispatcher, openPool, splitServer } from './dispatcher.js';
import { limitInformational } from './informational.js';
import { maxErrorBytes, maxObjectBytes } from './limits.js';

export interface ConnectionOptions {
  /** The User-Agent; its part before the slash becomes the field manager. */
  readonly userAgent: string;
  /** Maximum number of requests at once, without watches; others wait in a queue. */
  readonly connections?: number;
  /** Milliseconds until an answer begins, and again until its last byte; not for watches. */
  readonly timeoutMs?: number;
  readonly observe?: ObserveClient;
}

/** Sends HTTP requests to one server, with the credentials of its endpoint. */
export interface Connection {
  /** Resolves for every status code. Rejects with BadAnswer when the body is longer than `request.maxBytes`. */
  request(request: RawRequest): Promise<RawResponse>;
  /** Resolves with the head of the answer, and its body as a stream, which throws BadAnswer when it is longer than `request.maxBytes`. */
  read(request: RawRequest): Promise<StreamedResponse>;
  /** As `read`, for watches, whose body has no limit. */
  stream(request: RawRequest): Promise<StreamedResponse>;
  close(): Promise<void>;
}

export interface StreamedResponse {
  readonly status: number;
  readonly headers: RawResponse['headers'];
  readonly body: AsyncIterable<Buffer>;
}

const defaultConnections = 32;
const defaultTimeoutMs = 60_000;
/** Watches get a bookmark every minute; one without data for this long has lost its server. */
const maxSilenceMs = 240_000;

/** An answer with the limit of its body. */
interface Limited {
  readonly response: Dispatcher.ResponseData;
  readonly limit: BodyLimit;
}

function credentialsOf({ token, impersonate }: Endpoint, userAgent: string): Record<string, string | string[]> {
  return {
    'user-agent': userAgent,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(impersonate ? { 'impersonate-user': impersonate.user } : {}),
    ...(impersonate?.groups ? { 'impersonate-group': [...impersonate.groups] } : {}),
  };
}

class PooledConnection implements Connection {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #requests: Dispatcher;
  /** A watch occupies its connection, so watches have a pool of their own. */
  readonly #watches: Dispatcher;
  readonly #credentials: Readonly<Record<string, string | string[]>>;
  readonly #timeoutMs: number;
  readonly #observe: ReturnType<ObserveClient> | undefined;

  constructor(endpoint: Endpoint, options: ConnectionOptions) {
    const { timeoutMs = defaultTimeoutMs, connections = defaultConnections, userAgent } = options;
    const { origin, prefix } = splitServer(endpoint.server);
    this.#origin = origin;
    this.#prefix = prefix;
    this.#requests = openPool(endpoint, { connections });
    this.#watches = openPool(endpoint, { connections: null });
    this.#credentials = credentialsOf(endpoint, userAgent);
    this.#timeoutMs = timeoutMs;
    this.#observe = options.observe?.(new URL(origin).host);
  }

  async request(request: RawRequest): Promise<RawResponse> {
    const { response, limit } = await this.#sendLimited(request);
    const { statusCode: status, headers, body } = response;
    return { status, headers, body: await whole(body, limit) };
  }

  async read(request: RawRequest): Promise<StreamedResponse> {
    const { response, limit } = await this.#sendLimited(request);
    const { statusCode: status, headers, body } = response;
    return { status, headers, body: bounded(body, limit) };
  }

  async stream(request: RawRequest): Promise<StreamedResponse> {
    const { statusCode: status, headers, body } = await this.#dispatch(this.#watches, request, maxSilenceMs);
    if (status >= 300) return { status, headers, body: bounded(body, this.#limitOf(request, maxErrorBytes)) };
    return { status, headers, body: body as AsyncIterable<Buffer> };
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.destroy(), this.#watches.destroy()]);
  }

  /** Returns an answer with the limit of its body, which is lower for errors. */
  async #sendLimited(request: RawRequest): Promise<Limited> {
    const response = await this.#dispatch(this.#requests, request, this.#timeoutMs);
    const { maxBytes = maxObjectBytes } = request;
    const limit = response.statusCode < 300 ? maxBytes : Math.min(maxBytes, maxErrorBytes);
    return { response, limit: this.#limitOf(request, limit) };
  }

  #limitOf({ method, path }: RawRequest, maxBytes: number): BodyLimit {
    return {
      maxBytes,
      deadline: performance.now() + this.#timeoutMs,
      request: `${method} ${this.#origin}${this.#prefix}${path.split('?')[0]}`,
    };
  }

  /** hot: sends one request, and counts it. `timeout`: in milliseconds. */
  async #dispatch(pool: Dispatcher, request: RawRequest, timeout: number): Promise<Dispatcher.ResponseData> {
    const end = this.#observe?.(request.method);
    try {
      const response = await this.#send(pool, request, timeout);
      end?.(response.statusCode);
      return response;
    } catch (error) {
      end?.(undefined);
      throw error;
    }
  }

  #send(pool: Dispatcher, request: RawRequest, timeout: number): Promise<Dispatcher.ResponseData> {
    return pool.request({
      origin: this.#origin,
      path: this.#prefix + request.path,
      method: request.method,
      headers: { accept: 'application/json', ...request.headers, ...this.#credentials },
      body: request.body ?? null,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      onInfo: limitInformational(),
      ...(request.signal ? { signal: request.signal } : {}),
    });
  }
}

export const connect = (endpoint: Endpoint, options: ConnectionOptions): Connection =>
  new PooledConnection(endpoint, options);
