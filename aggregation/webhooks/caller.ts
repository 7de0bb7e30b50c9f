/** Calls webhooks over HTTPS: one pool of connections per target, as many as upstream keeps. */
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { goQuote } from '../../lib/go/go-text.js';
import { jsonText } from '../../lib/json/json.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { decodeJson } from '../../apimachinery/codec/decode.js';
import type { CallFault, WebhookCaller, WebhookRequest, WebhookTarget } from '../../registry/webhook-caller.js';
import { reachFailureText } from '../proxy/reach-failure.js';
import { type Dispatcher, openRoutedPool } from '../remote/dispatcher.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { whole } from '../remote/bounded.js';
import { limitInformational } from '../remote/informational.js';
import { largestError, largestObject, maxValues, sizeText } from '../remote/limits.js';
import { Census } from '../remote/read-json.js';
import { refusalOf } from './refusal-text.js';
import type { ResolveService } from './resolve-service.js';

export interface CallerOptions {
  readonly resolve: ResolveService;
  readonly userAgent?: string;
  /** Bytes of the longest answer that is read, when what was sent is not half as long. */
  readonly maxAnswer?: number;
}

export interface RunningCaller {
  readonly call: WebhookCaller;
  close(): Promise<void>;
}

/** as apiserver/pkg/util/webhook defaultCacheSize */
const maxPools = 200;
const idleMs = 30_000;
/** Bytes of an answer that may be longer than what was sent: a verdict, with a patch or an object. */
const largestAnswer = largestObject;
/** Objects come back as large as they went; converted ones may grow. */
const answerFactor = 2;

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
    // What is under way ends; then its connections do. One that is closed already is what is wanted.
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
        const body = jsonText(request.review);
        return await asked(dispatcher, { origin, path: where, body, signal: clock.signal, userAgent, maxAnswer });
      } catch (error) {
        if (error instanceof Answered) throw failure(error.message, error.code === 0 ? {} : { code: error.code });
        const text = clock.ended() ?? reachFailureText(error as Error, origin);
        const canceled = clock.ended() === cancelledText;
        throw failure(`Post ${goQuote(origin + where)}: ${text}`, canceled ? { canceled } : {}, error);
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
class Answered extends Error {
  /** 0: it is not what the server says of itself. */
  readonly code: number;
  constructor(text: string, code = 0) {
    super(text);
    this.code = code;
  }
}

const failure = (text: string, fault: CallFault, cause?: unknown): Error =>
  Object.assign(new Error(text, cause === undefined ? {} : { cause }), fault);

const cancelledText = 'context canceled';

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
  const cancelled = (): void => end(cancelledText);
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
  readonly body: string;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly maxAnswer: number;
}

/** as client-go/rest defaultMaxRetries */
const maxRetries = 10;

/**
 * Asks again when the server says when (Retry-After of a 429 or 5xx), within the time there is. Connections that break are not asked
 * again: a review may have arrived.
 */
// as client-go/rest withRetry IsNextRetry, checkWait
async function asked(dispatcher: Dispatcher, what: Ask): Promise<unknown> {
  for (let retries = 0; ; retries++) {
    const { statusCode, headers, text } = await ask(dispatcher, what);
    const wait = statusCode === 429 || statusCode >= 500 ? secondsOf(headers['retry-after']) : undefined;
    if (wait === undefined || retries === maxRetries) return read(statusCode, headers, text);
    await pause(Math.max(wait, 0) * 1000, undefined, { signal: what.signal });
  }
}

/** A date is none. */
function secondsOf(header: string | string[] | undefined): number | undefined {
  const [text = ''] = [header].flat();
  return /^[+-]?\d+$/.test(text) ? Math.min(Number(text), longestWait) : undefined;
}

/** Of no account beside the longest timeout, and not too long for a timer. */
const longestWait = 3600;

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function ask(
  dispatcher: Dispatcher,
  { origin, path, body: sent, signal, userAgent, maxAnswer }: Ask,
): Promise<Answer> {
  const { statusCode, headers, body } = await dispatcher.request({
    ...{ origin, path, method: 'POST', signal, headersTimeout: 0, bodyTimeout: 0 },
    onInfo: limitInformational(),
    headers: { accept: 'application/json, */*', 'content-type': 'application/json', 'user-agent': userAgent },
    body: sent,
  });
  const most = statusCode > 206 ? largestError : Math.max(maxAnswer, answerFactor * Buffer.byteLength(sent));
  const limit = { most, until: Infinity, request: `POST ${origin}${path}` };
  const bytes = await whole(body, limit).catch((error: unknown) => {
    throw error instanceof BadAnswer ? new Answered(`the answer is longer than ${sizeText(most)}`) : error;
  });
  refuseMany(bytes, Buffer.byteLength(sent));
  return { statusCode, headers, text: bytes.toString() };
}

/** An answer with more values than what was sent may have takes long to read. */
function refuseMany(bytes: Buffer, sent: number): void {
  if (bytes.length <= 2 * maxValues) return;
  const census = new Census();
  census.take(bytes, 0, -1);
  const most = Math.max(maxValues, sent);
  if (census.values > most) throw new Answered(`the answer has more than ${most} values`);
}

/** Characters of a text whose syntax errors are told in Go's words, which takes a slow reader. */
const longestExplained = 64 * 1024;

function read(statusCode: number, headers: Answer['headers'], text: string): unknown {
  if (statusCode < 200 || statusCode > 206) {
    const { message, code } = refusalOf(statusCode, text);
    throw new Answered(message, code);
  }
  const type = headers['content-type'];
  if (text === '')
    throw new Answered(`0-length response with status code: ${statusCode} and content type: ${String(type ?? '')}`);
  try {
    if (text.length > longestExplained) JSON.parse(text);
    return decodeJson(text).value;
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof SyntaxError)) throw error;
    const fault = error instanceof DecodeError ? error.message : 'it is not JSON';
    throw new Answered(`couldn't get version/kind; json parse error: ${fault}`);
  }
}
