import type { Endpoint, RawRequest, RawResponse } from '../interface.js';
import type { ObserveClient } from './client-series.js';
import { bounded, type BodyLimit, whole } from './bounded.js';
import { type Dispatcher, openPool, splitServer } from './dispatcher.js';
import { limitInformational } from './informational.js';
import { largestError, largestObject } from './limits.js';

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

export function connect(endpoint: Endpoint, options: ConnectionOptions): Connection {
  const { timeoutMs = defaultTimeoutMs, connections = defaultConnections } = options;
  const { origin, prefix } = splitServer(endpoint.server);
  const requests = openPool(endpoint, { connections });
  // A watch occupies its connection, so watches have a pool of their own.
  const watches = openPool(endpoint, { connections: null });
  const credentials: Record<string, string | string[]> = {
    'user-agent': options.userAgent,
    ...(endpoint.token ? { authorization: `Bearer ${endpoint.token}` } : {}),
    ...(endpoint.impersonate ? { 'impersonate-user': endpoint.impersonate.user } : {}),
    ...(endpoint.impersonate?.groups ? { 'impersonate-group': [...endpoint.impersonate.groups] } : {}),
  };

  const observe = options.observe?.(new URL(origin).host);
  /** hot: sends one request. */
  async function dispatch(pool: Dispatcher, request: RawRequest, timeout: number): Promise<Dispatcher.ResponseData> {
    const end = observe?.(request.method);
    try {
      const response = await send(pool, request, timeout);
      end?.(response.statusCode);
      return response;
    } catch (error) {
      end?.(undefined);
      throw error;
    }
  }

  const send = (pool: Dispatcher, request: RawRequest, timeout: number): Promise<Dispatcher.ResponseData> =>
    pool.request({
      origin,
      path: prefix + request.path,
      method: request.method,
      headers: { accept: 'application/json', ...request.headers, ...credentials },
      body: request.body ?? null,
      headersTimeout: timeout,
      bodyTimeout: timeout,
      onInfo: limitInformational(),
      ...(request.signal ? { signal: request.signal } : {}),
    });

  const nameOf = ({ method, path }: RawRequest): string => `${method} ${origin}${prefix}${path.split('?')[0]}`;

  const limitOf = (request: RawRequest, maxBytes: number): BodyLimit => ({
    maxBytes,
    deadline: performance.now() + timeoutMs,
    request: nameOf(request),
  });

  /** Returns an answer with the limit of its body, which is lower for errors. */
  async function sendLimited(request: RawRequest) {
    const answer = await dispatch(requests, request, timeoutMs);
    const { maxBytes = largestObject } = request;
    return {
      ...answer,
      limit: limitOf(request, answer.statusCode < 300 ? maxBytes : Math.min(maxBytes, largestError)),
    };
  }

  return {
    async request(request) {
      const { statusCode: status, headers, body, limit } = await sendLimited(request);
      return { status, headers, body: await whole(body, limit) };
    },
    async read(request) {
      const { statusCode: status, headers, body, limit } = await sendLimited(request);
      return { status, headers, body: bounded(body, limit) };
    },
    async stream(request) {
      const { statusCode: status, headers, body } = await dispatch(watches, request, maxSilenceMs);
      if (status >= 300) return { status, headers, body: bounded(body, limitOf(request, largestError)) };
      return { status, headers, body: body as AsyncIterable<Buffer> };
    },
    close: async () => {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}
