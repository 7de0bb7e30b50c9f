import { setMaxListeners } from 'node:events';
import { tooManyRequests } from '../../apimachinery/errors/status.js';
import { systemClock } from '../../lib/clock.js';
import { TokenBucket, type TokenRate } from '../../lib/token-bucket.js';
import type { Endpoint, RawRequest, RawResponse } from '../interface.js';
import type { ObserveClient } from './client-series.js';
import { type Answer, send } from './answer.js';
import type { BodyLimit } from './body-limit.js';
import { openPool, splitServer } from './transport/dispatcher.js';
import { maxErrorBytes, maxObjectBytes, maxWaiting } from './limits.js';
import type { Pool } from './transport/pool.js';

export interface ConnectionOptions {
  /** The User-Agent; its part before the slash becomes the field manager. */
  readonly userAgent: string;
  /** Maximum number of requests at once, without watches; others wait in a queue. */
  readonly connections?: number;
  /** Milliseconds until an answer begins, and again until its last byte; not for watches. */
  readonly timeoutMs?: number;
  readonly observe?: ObserveClient;
  /** Uses HTTP/1.1 even if the server speaks HTTP/2: each request that is under way has its own connection. */
  readonly onlyHttp1?: boolean;
  /** Returns the token for the next request; absent: that of the endpoint. */
  readonly token?: () => string | undefined;
  /** The rate of requests, without watches and probes; those that come too early wait. Absent: no limit. */
  readonly rate?: TokenRate | undefined;
}

/**
 * Sends HTTP requests to one server, with the credentials of its endpoint. A request that would be one too many to wait for a connection rejects
 * with 429.
 */
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
/** Seconds after which a request that was refused may be tried again. */
const retryAfterSeconds = 1;
/**
 * Requests that find out whether a server works. They do not wait for the rate of requests, since a probe that waits shows nothing about the
 * server. They are few. as the FlowSchema `probes`, which exempts them in the server
 */
const probePaths: ReadonlySet<string> = new Set(['/readyz', '/livez', '/healthz', '/version']);
/** Watches get a bookmark every minute; one without data for this long has lost its server. */
const maxSilenceMs = 240_000;

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
  readonly #pool: Pool;
  readonly #endpoint: Endpoint;
  readonly #userAgent: string;
  readonly #token: () => string | undefined;
  /** The credentials of the token that was last used. */
  #credentials: Readonly<Record<string, string | string[]>>;
  #usedToken: string | undefined;
  readonly #timeoutMs: number;
  /** The number of requests, without watches, that may be sent or wait at once. */
  readonly #maxPending: number;
  #pending = 0;
  /** The number of these that wait for the rate of requests. */
  #early = 0;
  readonly #observe: ReturnType<ObserveClient> | undefined;
  readonly #bucket: TokenBucket | undefined;
  /** Aborts when the connection is closed. */
  readonly #closed = new AbortController();

  constructor(endpoint: Endpoint, options: ConnectionOptions) {
    const { timeoutMs = defaultTimeoutMs, connections = defaultConnections, userAgent, onlyHttp1 = false } = options;
    const { origin, prefix } = splitServer(endpoint.server);
    this.#origin = origin;
    this.#prefix = prefix;
    this.#pool = openPool(endpoint, { connections, onlyHttp1 });
    this.#endpoint = endpoint;
    this.#userAgent = userAgent;
    this.#token = options.token ?? (() => endpoint.token);
    this.#usedToken = endpoint.token;
    this.#credentials = credentialsOf(endpoint, userAgent);
    this.#timeoutMs = timeoutMs;
    this.#maxPending = connections + maxWaiting;
    this.#observe = options.observe?.(endpoint.seriesHost ?? new URL(origin).host);
    this.#bucket = options.rate && new TokenBucket(options.rate, () => performance.now());
    setMaxListeners(this.#maxPending, this.#closed.signal); // Each request that waits for the rate is a listener.
  }

  async request(request: RawRequest): Promise<RawResponse> {
    const answer = await this.#dispatchInTurn(request);
    const { status, headers } = answer;
    return { status, headers, body: await answer.whole(this.#limitFor(request, status)) };
  }

  async read(request: RawRequest): Promise<StreamedResponse> {
    const answer = await this.#dispatchInTurn(request);
    const { status, headers } = answer;
    return { status, headers, body: answer.chunks(this.#limitFor(request, status)) };
  }

  async stream(request: RawRequest): Promise<StreamedResponse> {
    const answer = await this.#dispatch(request, maxSilenceMs, true);
    const { status, headers } = answer;
    const limit = status < 300 ? undefined : this.#limitOf(request, maxErrorBytes);
    return { status, headers, body: answer.chunks(limit) };
  }

  close(): Promise<void> {
    this.#closed.abort();
    return this.#pool.destroy();
  }

  /** Returns the limit of the body of an answer, which is lower for errors. */
  #limitFor(request: RawRequest, status: number): BodyLimit {
    const { maxBytes = maxObjectBytes } = request;
    return this.#limitOf(request, status < 300 ? maxBytes : Math.min(maxBytes, maxErrorBytes));
  }

  /** Sends a request when the rate of requests allows it and a connection is free. */
  async #dispatchInTurn(request: RawRequest): Promise<Answer> {
    const isProbe = probePaths.has(request.path);
    if (this.#pending - (isProbe ? this.#early : 0) >= this.#maxPending)
      throw tooManyRequests(`too many requests wait for ${this.#origin}, please try again later`, retryAfterSeconds);
    this.#pending++;
    try {
      if (this.#bucket && !isProbe) await this.#waitForToken(this.#bucket, request);
      return await this.#dispatch(request, this.#timeoutMs, false);
    } finally {
      this.#pending--;
    }
  }

  /**
   * Waits for the rate of requests. A request that is broken off, or whose connection is closed, takes nothing of the rate: it is sent at once, and
   * fails.
   */
  async #waitForToken(bucket: TokenBucket, { signal }: RawRequest): Promise<void> {
    const waitMs = bucket.take();
    if (waitMs === 0) return;
    const { signal: closed } = this.#closed;
    const either = signal ? AbortSignal.any([signal, closed]) : closed;
    this.#early++;
    await systemClock.sleep(waitMs, either);
    this.#early--;
    if (either.aborted) bucket.giveBack();
  }

  #limitOf({ method, path }: RawRequest, maxBytes: number): BodyLimit {
    return {
      maxBytes,
      deadline: performance.now() + this.#timeoutMs,
      request: `${method} ${this.#origin}${this.#prefix}${path.split('?')[0]}`,
    };
  }

  /** hot: sends one request, and counts it. */
  async #dispatch(request: RawRequest, timeoutMs: number, isLong: boolean): Promise<Answer> {
    const end = this.#observe?.(request.method);
    try {
      const answer = await this.#send(request, timeoutMs, isLong);
      end?.(answer.status);
      return answer;
    } catch (error) {
      end?.(undefined);
      throw error;
    }
  }

  #currentCredentials(): Readonly<Record<string, string | string[]>> {
    const token = this.#token();
    if (token !== this.#usedToken) {
      this.#usedToken = token;
      this.#credentials = credentialsOf({ ...this.#endpoint, ...(token !== undefined && { token }) }, this.#userAgent);
    }
    return this.#credentials;
  }

  #send(request: RawRequest, timeoutMs: number, isLong: boolean): Promise<Answer> {
    const { method, path, headers, body, signal } = request;
    const sent = {
      origin: this.#origin,
      path: this.#prefix + path,
      method,
      headers: { accept: 'application/json', ...headers, ...this.#currentCredentials() },
      body,
      timeoutMs,
      isLong,
    };
    return send(this.#pool, sent, signal);
  }
}

/** Returns the connection to a server. Nothing is sent before the first request. Throws an Error when the endpoint is invalid. */
export const connect = (endpoint: Endpoint, options: ConnectionOptions): Connection =>
  new PooledConnection(endpoint, options);
