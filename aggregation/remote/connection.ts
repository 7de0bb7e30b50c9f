import type { Endpoint, RawRequest, RawResponse } from '../interface.js';
import type { ObserveClient } from './client-series.js';
import { type Dispatcher, openPool, splitServer } from './dispatcher.js';

export interface ConnectionOptions {
  /** Sent as User-Agent; the part before the slash names the field manager. */
  readonly userAgent: string;
  /** Requests at a time besides watches; more wait in line. */
  readonly connections?: number;
  /** Milliseconds that a request may take, from asking to the last byte; watches have no such limit. */
  readonly timeoutMs?: number;
  readonly observe?: ObserveClient;
}

/** HTTP to one server, with its credentials in place. */
export interface Connection {
  request(request: RawRequest): Promise<RawResponse>;
  /** The head of an answer and its body as it comes. */
  stream(request: RawRequest): Promise<{ readonly status: number; readonly body: AsyncIterable<Buffer> }>;
  close(): Promise<void>;
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
      ...(request.signal ? { signal: request.signal } : {}),
    });

  return {
    async request(request) {
      const { statusCode, headers, body } = await dispatch(requests, request, timeoutMs);
      return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) };
    },
    async stream(request) {
      const { statusCode, body } = await dispatch(watches, request, silenceMs);
      return { status: statusCode, body: body as AsyncIterable<Buffer> };
    },
    close: async () => {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}
