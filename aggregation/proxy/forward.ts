/** Forwards a request to another server and streams its answer back without parsing. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { plainError, serviceUnavailable, StatusError } from '../../apimachinery/errors/status.js';
import type { BackendAnswers, RequestContext, ResponseHeaders, ResponseStream } from '../../apiserver/interface.js';
import { ByteCollector } from '../remote/byte-collector.js';
import { limitInformational } from '../remote/informational.js';
import { pacedStream } from '../remote/transport/paced-stream.js';
import type { AnswerHandler, Pool, PoolRequest, RequestController } from '../remote/transport/pool.js';
import { enterTarget } from './enter-target.js';
import { forwardedHeaders, impersonationHeaders, requestHeaders, responseHeaders, withBody } from './headers.js';
import { isBroken, isClosedHere, reachFailure, reachFailureText } from './reach-failure.js';
import type { Target } from './target.js';
import { tunnel } from './tunnel.js';
import type { Maybe } from '../../lib/maybe.js';

/** Maximum size in bytes of an answer of known length that is buffered and sent in one write. */
const maxBufferedBytes = 32 * 1024;
/** Maximum size in bytes of a buffered answer of unknown length, such as the refusal of an upgrade. */
const maxRefusalBytes = 1024 * 1024;
/** Bytes of the text of an error. as apiserver/pkg/registry/generic/rest/response_checker.go */
const maxRefusalText = 50_000;

/** An answer whose head has arrived. */
interface Answer {
  take(chunk: Buffer, controller: RequestController): void;
  end(): void;
  /** Called when the other server breaks the connection, or with `stopping` when this side ends the request. */
  fail(stopping: boolean): void;
}

function bufferedAnswer(context: RequestContext, status: number, headers: ResponseHeaders): Answer {
  const body = new ByteCollector();
  return {
    take(chunk, controller) {
      body.append(chunk);
      if (body.length > maxRefusalBytes) controller.abort(new Error('the answer is too long'));
    },
    end: () => context.exchange.respond(status, headers, body.length === 0 ? undefined : body.take()),
    fail: () => {
      throw plainError('unexpected EOF');
    },
  };
}

function streamedAnswer(context: RequestContext, status: number, headers: ResponseHeaders): Answer {
  const stream: ResponseStream = context.exchange.stream(status, headers);
  return {
    take(chunk, controller) {
      // A client that disconnected before the signal was created is noticed here.
      if (stream.closed) return controller.abort(new Error('the client is gone'));
      if (stream.write(chunk)) return;
      controller.pause();
      void stream.drained().then(() => controller.resume());
    },
    end: () => stream.end(),
    // A watch may end at any time, but an answer with a length would be incomplete.
    fail: stopping => (stopping && headers['content-length'] === undefined ? stream.end() : context.exchange.abort()),
  };
}

/** Collects the beginning of an answer that becomes an error. */
function refusedAnswer(refuse: (text: string) => Error): Answer {
  const body = new ByteCollector();
  const end = (): never => {
    throw refuse(body.take().subarray(0, maxRefusalText).toString());
  };
  return {
    take(chunk, controller) {
      body.append(chunk);
      if (body.length > maxRefusalText) controller.abort(new Error('the answer is too long'));
    },
    ...{ end, fail: end },
  };
}

function answerOf(context: RequestContext, status: number, headers: IncomingHttpHeaders, answers?: Answers): Answer {
  const { refusal } = answers ?? {};
  if (refusal && (status < 200 || status > 206)) return refusedAnswer(text => refusal(status, text));
  const plainHeaders = responseHeaders(headers);
  const ownHeaders = answers?.headers?.(plainHeaders) ?? plainHeaders;
  const length = Number(ownHeaders['content-length'] ?? NaN);
  const { method, upgrades } = context.exchange;
  const small =
    length <= maxBufferedBytes || method === 'HEAD' || status === 204 || status === 304 || upgrades !== undefined;
  return (small ? bufferedAnswer : streamedAnswer)(context, status, ownHeaders);
}

type Answers = Partial<BackendAnswers>;

/** The other server has not begun its answer in time. */
class HeadTimeoutError extends Error {
  constructor() {
    super('net/http: timeout awaiting response headers');
  }
}

interface Call {
  /** Milliseconds until the answer begins; 0: no limit. */
  readonly headMs: number;
  readonly answers: Answers | undefined;
  readonly context: RequestContext;
  readonly pool: Pool;
  readonly options: PoolRequest;
}

/** One attempt to get an answer from the other server. */
class Attempt implements AnswerHandler {
  /** Settled when the answer is complete, or a side broke the connection. Rejects if the attempt fails before the answer has begun. */
  readonly done: Promise<void>;
  readonly #call: Call;
  readonly #onInformational = limitInformational();
  #controller: RequestController | undefined;
  #answer: Answer | undefined;
  #resolve!: (outcome: Maybe<void>) => void;
  #reject!: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;

  private constructor(call: Call) {
    this.#call = call;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  static make(call: Call): Promise<void> {
    const attempt = new Attempt(call);
    call.context.signal.addEventListener('abort', attempt.#onAbort);
    if (call.headMs > 0) attempt.#timer = setTimeout(attempt.#onLate, call.headMs);
    call.pool.dispatch(call.options, attempt);
    return attempt.done;
  }

  readonly #onAbort = (): void => this.#controller?.abort(this.#call.context.signal.reason as Error);

  readonly #onLate = (): void => {
    const late = new HeadTimeoutError();
    this.#settle(() => {
      throw late;
    });
    this.#controller?.abort(late);
  };

  onRequestStart(controller: RequestController): void {
    this.#controller = controller;
    if (this.#isSettled) return controller.abort(new HeadTimeoutError());
    if (this.#call.context.signal.aborted) this.#onAbort();
  }

  onResponseStart(controller: RequestController, status: number, headers: IncomingHttpHeaders): void {
    const { context, options, answers } = this.#call;
    if (status < 200) return this.#onInformational();
    clearTimeout(this.#timer);
    if (!options.upgrade || status >= 400) {
      this.#answer = answerOf(context, status, headers, answers);
      return;
    }
    this.#settle(() => {
      throw plainError(`invalid upgrade response: status code ${status}`);
    });
    controller.abort(new Error('not upgraded'));
  }

  onResponseData(controller: RequestController, chunk: Buffer): void {
    this.#answer?.take(chunk, controller);
  }

  onResponseEnd(): void {
    this.#settle(() => this.#answer?.end());
  }

  onResponseError(_controller: RequestController, error: Error): void {
    this.#settle(() => {
      const isLocal = this.#call.context.signal.aborted || isClosedHere(error);
      if (this.#answer) return this.#answer.fail(isLocal);
      throw isLocal ? serviceUnavailable('the request was given up') : error;
    });
  }

  onRequestUpgrade(_controller: RequestController, status: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    if (this.#isSettled) return void socket.destroy();
    this.#settle(() => {
      const { exchange, signal } = this.#call.context;
      const upgrade = exchange.takeOver();
      if (upgrade) return tunnel(upgrade, { status, headers, socket: pacedStream(socket) }, signal);
      socket.destroy();
      return undefined;
    });
  }

  #settle(outcome: () => Maybe<void>): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#call.context.signal.removeEventListener('abort', this.#onAbort);
    try {
      this.#resolve(outcome());
    } catch (error) {
      this.#reject(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

interface Forwarding {
  readonly target: Target;
  /** Percent-encoded path with a leading slash and without query. */
  readonly path: string;
  /** Query to send; the default is the request's. */
  readonly query?: string;
  /** Body to send; the default is the request's, streamed. If `type` is undefined, the request's media type stays. */
  readonly body?: { readonly bytes: Buffer; readonly type: string | undefined };
  /** Headers that tell the server the requester: name, value. The default is to impersonate the requester with the credentials of the target. */
  readonly identity?: readonly string[];
  /** The host that the server is told the request was sent to, together with its path and protocol; absent: it is told neither. */
  readonly forwardedHost?: string | undefined;
  /** All headers to send: name, value. The default are those of the client and the identity. */
  readonly headers?: readonly string[];
  /** Milliseconds until the answer begins; the default is no limit. */
  readonly headMs?: number;
  readonly answers?: Answers;
}

/**
 * Forwards a request to another server in the name of the requester. Rejects with a StatusError if the server cannot be reached;
 * resolves when the answer is complete, or when a side breaks the connection after the answer has begun.
 */
export async function forward(context: RequestContext, forwarding: Forwarding): Promise<void> {
  const { exchange, user, auditId } = context;
  const { target, path, query = exchange.query, headMs = 0, answers } = forwarding;
  const upgrade = exchange.upgrades;
  const body = forwarding.body?.bytes ?? (upgrade === undefined ? exchange.incoming() : undefined);
  const { identity = [...impersonationHeaders(user), ...target.credentials] } = forwarding;
  const { forwardedHost: host } = forwarding;
  const forwarded = host === undefined ? [] : forwardedHeaders(exchange, host);
  const headers = forwarding.headers ?? requestHeaders(exchange, { identity, auditId, forwarded });
  const options: PoolRequest = {
    origin: target.origin,
    path: `${target.prefix}${path}${query === '' ? '' : `?${query}`}`,
    method: exchange.method,
    headers: forwarding.body ? withBody(headers, forwarding.body) : headers,
    body,
    timeoutMs: 0,
    isLong: false,
    ...(upgrade === undefined ? {} : { upgrade }),
  };
  const isRetryable = body === undefined && ['GET', 'HEAD', 'OPTIONS'].includes(exchange.method);
  const entering = { user: user.name, isLong: isLong(context, target, path), signal: context.signal };
  const leave = await enterTarget(target, options, entering);
  const ownPool = upgrade === undefined ? undefined : target.openUpgradePool?.(user.name);
  const call: Call = { context, pool: ownPool ?? target.pool, options, headMs, answers };
  try {
    await Attempt.make(call).catch((error: unknown) => {
      // The server had closed an idle connection, and the request was not processed, so it is safe to retry.
      if (isRetryable && error instanceof Error && isBroken(error) && !context.signal.aborted)
        return Attempt.make(call);
      throw error;
    });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof StatusError) throw error;
    throw answers?.failure?.(reachFailureText(error, target.origin)) ?? reachFailure(error, target.origin);
  } finally {
    leave();
    // An upgraded connection does not belong to the pool any more.
    void ownPool?.destroy();
  }
}

/** Reports whether a request may last until one side ends it. */
function isLong({ exchange, query }: RequestContext, { isLongRunning }: Target, path: string): boolean {
  if (exchange.upgrades !== undefined || ['watch', 'follow'].some(name => isOn(query.get(name)))) return true;
  return isLongRunning?.(exchange.method, path, query) ?? false;
}

/** as apimachinery/pkg/runtime Convert_Slice_string_To_bool */
const isOn = (value: string | undefined): boolean => value !== undefined && value !== '0' && value !== 'false';
