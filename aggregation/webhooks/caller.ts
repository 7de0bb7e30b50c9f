/** Calls webhooks over HTTPS: one pool of connections per target, as many as upstream keeps. */
import { LRUCache } from 'lru-cache';
import { goQuote } from '../../openapi/meta/go-text.js';
import { DecodeError } from '../../openapi/schema/decode-error.js';
import { decodeJson } from '../../openapi/schema/decode.js';
import type { WebhookCaller, WebhookRequest, WebhookTarget } from '../../registry/webhooks/interface.js';
import { reachFailureText } from '../proxy/reach-failure.js';
import { type Dispatcher, openRoutedPool } from '../remote/dispatcher.js';
import { refusalText } from './refusal-text.js';
import type { ResolveService } from './resolve-service.js';

export interface CallerOptions {
  readonly resolve: ResolveService;
  readonly userAgent?: string;
  /** Bytes of the longest answer that is read. */
  readonly maxAnswer?: number;
}

export interface RunningCaller {
  readonly call: WebhookCaller;
  close(): Promise<void>;
}

/** as apiserver/pkg/util/webhook defaultCacheSize */
const maxPools = 200;
const idleMs = 30_000;
/** A list of custom resources comes back as large as it went. */
const largestAnswer = 64 * 1024 * 1024;

interface Pool {
  readonly origin: string;
  readonly path: string;
  readonly dispatcher: Dispatcher;
}

export function webhookCaller({
  resolve,
  userAgent = 'kube-apiserver-admission',
  maxAnswer = largestAnswer,
}: CallerOptions): RunningCaller {
  const pools = new LRUCache<string, Pool>({
    max: maxPools,
    // What is under way ends; then its connections do.
    dispose: ({ dispatcher }) => void dispatcher.close().catch(() => undefined),
  });

  function poolOf(target: WebhookTarget): Pool {
    const key = JSON.stringify([target.url, target.service, target.caBundle]);
    let pool = pools.get(key);
    if (!pool) {
      pool = openPool(target, resolve);
      pools.set(key, pool);
    }
    return pool;
  }

  return {
    async call(request) {
      const { origin, path, dispatcher } = poolOf(request.target);
      const where = path + timeoutQuery(request);
      const clock = deadline(request);
      try {
        return await ask(dispatcher, { origin, path: where, request, signal: clock.signal, userAgent, maxAnswer });
      } catch (error) {
        if (error instanceof Answered) throw new Error(error.message);
        const text = clock.ended() ?? reachFailureText(error as Error, origin);
        throw new Error(`Post ${goQuote(origin + where)}: ${text}`, { cause: error });
      } finally {
        clock.release();
      }
    },
    async close() {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}

/** An answer came, and it is no good; the message says why. */
class Answered extends Error {}

function openPool({ url, service, caBundle = '' }: WebhookTarget, resolve: ResolveService): Pool {
  const pem = Buffer.from(caBundle, 'base64').toString('latin1').trim();
  const trust = { ...(pem !== '' && { ca: pem }), idleMs };
  if (service) {
    const { namespace, name, path = '', port = 443 } = service;
    const serverName = `${name}.${namespace}.svc`;
    const dispatcher = openRoutedPool({ ...trust, serverName, dial: () => resolve(namespace, name, port) });
    return { origin: `https://${serverName}:${port}`, path: path.startsWith('/') ? path : `/${path}`, dispatcher };
  }
  if (url === undefined || url === '') throw new Error('webhook configuration must have either service or URL');
  const { host, pathname } = new URL(url);
  return { origin: `https://${host}`, path: pathname, dispatcher: openRoutedPool({ ...trust }) };
}

function timeoutQuery({ timeoutMs, tellTimeout = false }: WebhookRequest): string {
  return tellTimeout ? `?timeout=${Math.ceil(timeoutMs / 1000)}s` : '';
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Why it has ended, in Go's words; undefined while it has not. */
  ended(): string | undefined;
  release(): void;
}

function deadline({ timeoutMs, signal }: WebhookRequest): Deadline {
  const controller = new AbortController();
  let why: string | undefined;
  const end = (text: string): void => {
    why ??= text;
    controller.abort();
  };
  const timer = setTimeout(() => end('context deadline exceeded'), timeoutMs);
  const cancelled = (): void => end('context canceled');
  if (signal?.aborted) cancelled();
  signal?.addEventListener('abort', cancelled, { once: true });
  return {
    signal: controller.signal,
    ended: () => why,
    release() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancelled);
    },
  };
}

interface Ask {
  readonly origin: string;
  readonly path: string;
  readonly request: WebhookRequest;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly maxAnswer: number;
}

async function ask(
  dispatcher: Dispatcher,
  { origin, path, request, signal, userAgent, maxAnswer }: Ask,
): Promise<unknown> {
  const { statusCode, headers, body } = await dispatcher.request({
    ...{ origin, path, method: 'POST', signal, headersTimeout: 0, bodyTimeout: 0 },
    headers: { accept: 'application/json, */*', 'content-type': 'application/json', 'user-agent': userAgent },
    body: JSON.stringify(request.review),
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswer) {
      body.destroy();
      throw new Answered(`the answer is longer than ${maxAnswer} bytes`);
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  if (statusCode < 200 || statusCode > 206) throw new Answered(refusalText(statusCode, text));
  const type = headers['content-type'];
  if (size === 0)
    throw new Answered(`0-length response with status code: ${statusCode} and content type: ${String(type ?? '')}`);
  try {
    return decodeJson(text).value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new Answered(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}
