import type { Endpoint, RawRequest, RawResponse } from '../interface.js';
import type { ObserveClient } from './client-series.js';
import { bounded, type BodyLimit, whole } from './bounded.js';
import { type Dispatcher, openPool, splitServer } from './dispatcher.js';
import { limitInformational } from './informational.js';
import { largestError, largestObject } from './limits.js';

export interface ConnectionOptions {
  /** Sent as User-Agent; the part before the slash names the field manager. */
  readonly userAgent: string;
  /** Requests at a time besides watches; more wait in line. */
  readonly connections?: number;
  /** Milliseconds until an answer begins, and again until its last byte; watches have no such limit. */
  readonly timeoutMs?: number;
  readonly observe?: ObserveClient;
}

/** HTTP to one server, with its credentials in place. */
export interface Connection {
  /** Rejects with BadAnswer when the body is longer than `request.most`. */
  request(request: RawRequest): Promise<RawResponse>;
  /** The head of an answer and its body as it comes. Throws BadAnswer while it comes when it is longer than `request.most`. */
  read(request: RawRequest): Promise<StreamedResponse>;
  /** As `read`, for watches: the body has no end and no limit. */
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
/** A watch hears a bookmark every minute; one that hears nothing for so long has lost its server. */
const silenceMs = 240_000;

export function connect(endpoint: Endpoint, options: ConnectionOptions): Connection {
  const { timeoutMs = defaultTimeoutMs, connections = defaultConnections } = options;
  const { origin, prefix } = splitServer(endpoint.server);
  const requests = openPool(endpoint, { connections });
  // A watch keeps its connection: it must not take one from those who ask.
  const watches = openPool(endpoint, { connections: null });
  const credentials: Record<string, string | string[]> = {
    'user-agent': options.userAgent,
    ...(endpoint.token ? { authorization: `Bearer ${endpoint.token}` } : {}),
    ...(endpoint.impersonate ? { 'impersonate-user': endpoint.impersonate.user } : {}),
    ...(endpoint.impersonate?.groups ? { 'impersonate-group': [...endpoint.impersonate.groups] } : {}),
  };

  const observe = options.observe?.(new URL(origin).host);
  /** hot: what is asked of members. */
  async function dispatch(through: Dispatcher, request: RawRequest, timeout: number): Promise<Dispatcher.ResponseData> {
    const end = observe?.(request.method);
    try {
      const response = await ask(through, request, timeout);
      end?.(response.statusCode);
      return response;
    } catch (error) {
      end?.(undefined);
      throw error;
    }
  }

  const ask = (through: Dispatcher, request: RawRequest, timeout: number): Promise<Dispatcher.ResponseData> =>
    through.request({
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

  const limitOf = (request: RawRequest, most: number): BodyLimit => ({
    most,
    until: performance.now() + timeoutMs,
    request: nameOf(request),
  });

  /** An answer with what its body may be: errors have a limit of their own. */
  async function asked(request: RawRequest) {
    const answer = await dispatch(requests, request, timeoutMs);
    const { most = largestObject } = request;
    return { ...answer, limit: limitOf(request, answer.statusCode < 300 ? most : Math.min(most, largestError)) };
  }

  return {
    async request(request) {
      const { statusCode: status, headers, body, limit } = await asked(request);
      return { status, headers, body: await whole(body, limit) };
    },
    async read(request) {
      const { statusCode: status, headers, body, limit } = await asked(request);
      return { status, headers, body: bounded(body, limit) };
    },
    async stream(request) {
      const { statusCode: status, headers, body } = await dispatch(watches, request, silenceMs);
      if (status >= 300) return { status, headers, body: bounded(body, limitOf(request, largestError)) };
      return { status, headers, body: body as AsyncIterable<Buffer> };
    },
    close: async () => {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}
