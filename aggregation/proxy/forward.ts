/** Forwards a request to another server and streams its answer back without parsing. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { plainError, serviceUnavailable, StatusError } from '../../apimachinery/errors/status.js';
import type { RequestContext, ResponseHeaders, ResponseStream } from '../../apiserver/interface.js';
import { ByteCollector } from '../remote/byte-collector.js';
import { limitInformational } from '../remote/informational.js';
import type { PoolRequest, RequestController } from '../remote/pool.js';
import { impersonation, requestHeaders, responseHeaders, withBody } from './headers.js';
import { isBroken, reachFailure } from './reach-failure.js';
import type { Target } from './target.js';
import { tunnel } from './tunnel.js';
import type { Maybe } from '../../lib/maybe.js';

/** Maximum size in bytes of an answer of known length that is buffered and sent in one write. */
const maxBufferedBytes = 32 * 1024;
/** Maximum size in bytes of a buffered answer of unknown length, such as the refusal of an upgrade. */
const maxRefusalBytes = 1024 * 1024;

type Abort = (reason: Error) => void;

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

function answerOf(context: RequestContext, status: number, headers: IncomingHttpHeaders): Answer {
  const ownHeaders = responseHeaders(headers);
  const length = Number(ownHeaders['content-length'] ?? NaN);
  const { method, upgrades } = context.exchange;
  const small =
    length <= maxBufferedBytes || method === 'HEAD' || status === 204 || status === 304 || upgrades !== undefined;
  return (small ? bufferedAnswer : streamedAnswer)(context, status, ownHeaders);
}

/** Reports whether the connections were closed on this side, at the shutdown of the server. */
const isClosedHere = (error: Error): boolean => (error as { code?: unknown }).code === 'UND_ERR_DESTROYED';

interface Attempt {
  readonly context: RequestContext;
  readonly target: Target;
  readonly options: PoolRequest;
}

/** Makes one attempt. Rejects if it fails before the answer has begun. */
function attempt({ context, target, options }: Attempt): Promise<void> {
  const { signal, exchange } = context;
  return new Promise((resolve, reject) => {
    let answer: Answer | undefined;
    let abort: Abort | undefined;
    const onInformational = limitInformational();
    const onAbort = (): void => abort?.(signal.reason as Error);
    const settle = (outcome: () => Maybe<void>): void => {
      signal.removeEventListener('abort', onAbort);
      try {
        resolve(outcome());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    signal.addEventListener('abort', onAbort);
    target.pool.dispatch(options, {
      onRequestStart(controller) {
        abort = reason => controller.abort(reason);
        if (signal.aborted) onAbort();
      },
      onResponseStart(controller, status, headers) {
        if (status < 200) return onInformational();
        if (!options.upgrade || status >= 400) {
          answer = answerOf(context, status, headers);
          return;
        }
        settle(() => {
          throw plainError(`invalid upgrade response: status code ${status}`);
        });
        controller.abort(new Error('not upgraded'));
      },
      onResponseData: (controller, chunk) => answer?.take(chunk, controller),
      onResponseEnd: () => settle(() => answer?.end()),
      onResponseError: (_controller, error) =>
        settle(() => {
          const isLocal = signal.aborted || isClosedHere(error);
          if (answer) return answer.fail(isLocal);
          throw isLocal ? serviceUnavailable('the request was given up') : error;
        }),
      onRequestUpgrade: (_controller, status, headers, socket: Duplex) =>
        settle(() => {
          const upgrade = exchange.takeOver();
          if (upgrade) return tunnel(upgrade, { status, headers, socket }, signal);
          socket.destroy();
          return undefined;
        }),
    });
  });
}

interface Forwarding {
  readonly target: Target;
  /** Percent-encoded path with a leading slash and without query. */
  readonly path: string;
  /** Query to send; the default is the request's. */
  readonly query?: string;
  /** Body to send; the default is the request's, streamed. If `type` is undefined, the request's media type stays. */
  readonly body?: { readonly bytes: Buffer; readonly type: string | undefined };
}

/**
 * Forwards a request to another server, impersonating the requester. Rejects with a StatusError if the server cannot be reached;
 * resolves when the answer is complete, or when a side breaks the connection after the answer has begun.
 */
export async function forward(context: RequestContext, forwarding: Forwarding): Promise<void> {
  const { exchange, user, auditId } = context;
  const { target, path, query = exchange.query } = forwarding;
  const upgrade = exchange.upgrades;
  const body = forwarding.body?.bytes ?? (upgrade === undefined ? exchange.incoming() : undefined);
  const identity = [...impersonation(user), ...target.credentials];
  const headers = requestHeaders(exchange, identity, auditId);
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
  try {
    await attempt({ context, target, options }).catch((error: unknown) => {
      // The server had closed an idle connection, and the request was not processed, so it is safe to retry.
      if (isRetryable && error instanceof Error && isBroken(error) && !context.signal.aborted)
        return attempt({ context, target, options });
      throw error;
    });
  } catch (error) {
    throw error instanceof Error && !(error instanceof StatusError) ? reachFailure(error, target.origin) : error;
  }
}
