/** Calls webhooks over HTTPS, with one connection pool per target and upstream's limit of pools. */
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { goQuote } from '../../lib/go/go-text.js';
import { jsonText, maxNumberLength } from '../../lib/json/json.js';
import { type InSteps, inTimeSlices, nextTurn } from '../../lib/time-slice.js';
import { DecodeError } from '../../apimachinery/codec/decode-error.js';
import { decodedSteps, decodeJson } from '../../apimachinery/codec/decode.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { CallFault, WebhookCaller, WebhookRequest, WebhookTarget } from '../../registry/webhook-caller.js';
import { reachFailureText } from '../proxy/reach-failure.js';
import { type Dispatcher, openRoutedPool } from '../remote/transport/dispatcher.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { collectBody } from '../remote/body-limit.js';
import { limitInformational } from '../remote/informational.js';
import { maxErrorBytes, maxObjectBytes, maxValues, sizeText } from '../remote/limits.js';
import { countInSteps } from '../remote/read-json.js';
import { refusalOf } from '../remote/refusal-text.js';
import type { Address, ResolveService } from './resolve-service.js';

interface CallerOptions {
  readonly resolve: ResolveService;
  readonly userAgent?: string;
  /** Maximum size of an answer in bytes; twice the request's size if that is more. */
  readonly maxAnswer?: number;
}

interface RunningCaller {
  readonly call: WebhookCaller;
  close(): Promise<void>;
}

/** as apiserver/pkg/util/webhook defaultCacheSize */
const maxPools = 200;
const idleMs = 30_000;
/** Default maximum size of an answer in bytes: a verdict with a patch or an object. */
const defaultMaxAnswer = maxObjectBytes;
/** Factor by which an answer may be larger than the request: converted objects may grow. */
const answerFactor = 2;

interface Pool {
  readonly origin: string;
  readonly path: string;
  readonly dispatcher: Dispatcher;
}

/** Returns a caller of webhooks (see `WebhookCaller`). `close` breaks off its running calls. */
export function webhookCaller({
  resolve,
  userAgent = 'kube-apiserver-admission',
  maxAnswer = defaultMaxAnswer,
}: CallerOptions): RunningCaller {
  const pools = new LRUCache<string, Pool>({
    max: maxPools,
    // Running calls finish before the connections close. An error means that the pool is closed already.
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
      const pathAndQuery = path + timeoutQuery(request);
      const clock = deadline(request);
      try {
        const { review } = request;
        const body = typeof review === 'string' ? review : jsonText(review);
        return await sendWithRetries(dispatcher, {
          origin,
          path: pathAndQuery,
          body,
          signal: clock.signal,
          userAgent,
          maxAnswer,
        });
      } catch (error) {
        if (error instanceof InvalidAnswer) throw failure(error.message, error.code === 0 ? {} : { code: error.code });
        const text = clock.ended() ?? reachFailureText(error as Error, origin);
        const canceled = clock.ended() === cancelledText;
        throw failure(`Post ${goQuote(origin + pathAndQuery)}: ${text}`, canceled ? { canceled } : {}, error);
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

/** Thrown for an invalid answer or an error status. */
class InvalidAnswer extends Error {
  /** Code of the server's error status; 0 for an invalid answer. */
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
    const { namespace, name, path = '', port = 443, fallsBackToDns = false } = service;
    const serverName = `${name}.${namespace}.svc`;
    const dial = (): Promise<Address> => resolve(namespace, name, port);
    const dialOrDns = (): Promise<Address> => dial().catch(hostIfNotFound(serverName, port));
    const dispatcher = openRoutedPool({ ...trust, serverName, dial: fallsBackToDns ? dialOrDns : dial });
    return { origin: `https://${serverName}:${port}`, path: path.startsWith('/') ? path : `/${path}`, dispatcher };
  }
  if (url === undefined || url === '') throw new Error('webhook configuration must have either service or URL');
  const { host, pathname } = new URL(url);
  return { origin: `https://${host}`, path: pathname, dispatcher: openRoutedPool({ ...trust }) };
}

/** Returns a handler of errors: a Service that does not exist is reached by its name. */
// as karmada pkg/resourceinterpreter/customized/webhook serviceResolver.ResolveEndpoint
const hostIfNotFound =
  (host: string, port: number) =>
  (error: unknown): Address => {
    if (error instanceof StatusError && error.code === 404) return { host, port };
    throw error;
  };

function timeoutQuery({ timeoutMs, sendTimeout = false }: WebhookRequest): string {
  return sendTimeout ? `?timeout=${Math.ceil(timeoutMs / 1000)}s` : '';
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Returns why it has ended, as Go's error text; undefined while it has not. */
  ended(): string | undefined;
  release(): void;
}

function deadline({ timeoutMs, signal }: WebhookRequest): Deadline {
  const controller = new AbortController();
  let reason: string | undefined;
  const end = (text: string): void => {
    reason ??= text;
    controller.abort();
  };
  const timer = setTimeout(() => end('context deadline exceeded'), timeoutMs);
  const cancelled = (): void => end(cancelledText);
  if (signal?.aborted) cancelled();
  signal?.addEventListener('abort', cancelled, { once: true });
  return {
    signal: controller.signal,
    ended: () => reason,
    release() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancelled);
    },
  };
}

interface WebhookPost {
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
 * Sends a request, and retries after a 429 or 5xx with Retry-After, within the deadline. A broken connection is not retried, since the
 * review may have been processed.
 */
// as client-go/rest withRetry IsNextRetry, checkWait
async function sendWithRetries(dispatcher: Dispatcher, post: WebhookPost): Promise<unknown> {
  for (let retries = 0; ; retries++) {
    const { statusCode, headers, text } = await send(dispatcher, post);
    const wait = statusCode === 429 || statusCode >= 500 ? secondsOf(headers['retry-after']) : undefined;
    if (wait === undefined || retries === maxRetries) return inTimeSlices(readSteps(statusCode, headers, text));
    await pause(Math.max(wait, 0) * 1000, undefined, { signal: post.signal });
  }
}

/** Returns the seconds in a Retry-After header; undefined for a date. */
function secondsOf(header: string | string[] | undefined): number | undefined {
  const [text = ''] = [header].flat();
  return /^[+-]?\d+$/.test(text) ? Math.min(Number(text), maxRetryAfterSeconds) : undefined;
}

/** Maximum Retry-After in seconds: longer than any timeout, and short enough for a timer. */
const maxRetryAfterSeconds = 3600;

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function send(
  dispatcher: Dispatcher,
  { origin, path, body: sent, signal, userAgent, maxAnswer }: WebhookPost,
): Promise<Answer> {
  const { statusCode, headers, body } = await dispatcher.request({
    ...{ origin, path, method: 'POST', signal, headersTimeout: 0, bodyTimeout: 0 },
    onInfo: limitInformational(),
    headers: { accept: 'application/json, */*', 'content-type': 'application/json', 'user-agent': userAgent },
    body: sent,
  });
  const maxBytes = statusCode > 206 ? maxErrorBytes : Math.max(maxAnswer, answerFactor * Buffer.byteLength(sent));
  const limit = { maxBytes, deadline: Infinity, request: `POST ${origin}${path}` };
  const bytes = await collectBody(body, limit).catch((error: unknown) => {
    throw error instanceof BadAnswer ? new InvalidAnswer(`the answer is longer than ${sizeText(maxBytes)}`) : error;
  });
  await requireQuickParse(bytes, Buffer.byteLength(sent), statusCode);
  if (bytes.length > maxExplainedLength) await nextTurn(); // Counting its values has taken a part of the turn.
  return { statusCode, headers, text: bytes.toString() };
}

/** Rejects if the answer would take long to parse: it has more JSON values than the limit, or a number that is too long. A refusal may be no JSON. */
async function requireQuickParse(bytes: Buffer, sent: number, statusCode: number): Promise<void> {
  if (bytes.length <= 2 * maxValues) return;
  const limit = Math.max(maxValues, sent);
  const counter = await inTimeSlices(countInSteps(bytes, limit));
  if (counter.values > limit) throw new InvalidAnswer(`the answer has more than ${limit} values`);
  if (statusCode <= 206 && counter.longest > maxNumberLength)
    throw new InvalidAnswer(`the answer has a number of more than ${maxNumberLength} characters`);
}

/** Maximum length of a text whose syntax errors are reported with Go's text, which needs the slower parser. */
const maxExplainedLength = 64 * 1024;

function* readSteps(statusCode: number, headers: Answer['headers'], text: string): InSteps<unknown> {
  if (statusCode < 200 || statusCode > 206) {
    const { message, code } = refusalOf(statusCode, text);
    throw new InvalidAnswer(message, code);
  }
  const type = headers['content-type'];
  if (text === '')
    throw new InvalidAnswer(
      `0-length response with status code: ${statusCode} and content type: ${String(type ?? '')}`,
    );
  try {
    if (text.length <= maxExplainedLength) return decodeJson(text).value;
    return (yield* decodedSteps(text)).value;
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof SyntaxError)) throw error;
    const fault = error instanceof DecodeError ? error.message : 'it is not JSON';
    throw new InvalidAnswer(`couldn't get version/kind; json parse error: ${fault}`);
  }
}
