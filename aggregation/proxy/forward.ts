/** Hands a request on to another server and its answer back, piece by piece. Nothing is parsed. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { plainError, serviceUnavailable, StatusError } from '../../apimachinery/errors/status.js';
import type { RequestContext, ResponseHeaders, ResponseStream } from '../../apiserver/interface.js';
import type { Dispatcher } from '../remote/dispatcher.js';
import { Gathered } from '../remote/gathered.js';
import { limitInformational } from '../remote/informational.js';
import { impersonation, requestHeaders, responseHeaders, withBody } from './headers.js';
import { isBroken, reachFailure } from './reach-failure.js';
import type { Target } from './target.js';
import { tunnel } from './tunnel.js';

/** Answers of a known size up to this leave in one piece, head and all. */
const onePiece = 32 * 1024;
/** A refusal of an upgrade, whose size need not be known. */
const longestRefusal = 1024 * 1024;

type Abort = (reason: Error) => void;

/** The answer that began. */
interface Answer {
  take(chunk: Buffer, controller: Dispatcher.DispatchController): void;
  end(): void;
  /** The other server broke off, or nobody waits any more. */
  fail(stopping: boolean): void;
}

function inOnePiece(passage: RequestContext, status: number, headers: ResponseHeaders): Answer {
  const body = new Gathered();
  return {
    take(chunk, controller) {
      body.append(chunk);
      if (body.length > longestRefusal) controller.abort(new Error('the answer is too long'));
    },
    end: () => passage.exchange.respond(status, headers, body.length === 0 ? undefined : body.take()),
    fail: () => {
      throw plainError('unexpected EOF');
    },
  };
}

function inPieces(passage: RequestContext, status: number, headers: ResponseHeaders): Answer {
  const stream: ResponseStream = passage.exchange.stream(status, headers);
  return {
    take(chunk, controller) {
      // Who left before the signal was asked for is noticed here.
      if (stream.closed) return controller.abort(new Error('the client is gone'));
      if (stream.write(chunk)) return;
      controller.pause();
      void stream.drained().then(() => controller.resume());
    },
    end: () => stream.end(),
    // The end of a watch may come any time; what has a length is incomplete.
    fail: stopping => (stopping && headers['content-length'] === undefined ? stream.end() : passage.exchange.abort()),
  };
}

function answerOf(passage: RequestContext, status: number, headers: IncomingHttpHeaders): Answer {
  const own = responseHeaders(headers);
  const length = Number(own['content-length'] ?? NaN);
  const { method, upgrades } = passage.exchange;
  const small = length <= onePiece || method === 'HEAD' || status === 204 || status === 304 || upgrades !== undefined;
  return (small ? inOnePiece : inPieces)(passage, status, own);
}

/** The connections were closed on this side: the server stops. */
const isOurs = (error: Error): boolean => (error as { code?: unknown }).code === 'UND_ERR_DESTROYED';

interface Attempt {
  readonly passage: RequestContext;
  readonly target: Target;
  readonly options: Dispatcher.DispatchOptions;
}

/** One try. Rejects as long as no answer began. */
function attempt({ passage, target, options }: Attempt): Promise<void> {
  const { signal, exchange } = passage;
  return new Promise((resolve, reject) => {
    let answer: Answer | undefined;
    let abort: Abort | undefined;
    const onInformational = limitInformational();
    const onAbort = (): void => abort?.(signal.reason as Error);
    const settle = (outcome: () => void | Promise<void>): void => {
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
          answer = answerOf(passage, status, headers);
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
          const ours = signal.aborted || isOurs(error);
          if (answer) return answer.fail(ours);
          throw ours ? serviceUnavailable('the request was given up') : error;
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

export interface Forwarding {
  readonly target: Target;
  /** With its leading slash, percent-encoded, without query. */
  readonly path: string;
  /** Absent: that of the request. */
  readonly query?: string;
  /** Absent: that of the request, as it comes. `type` undefined: the media type stays. */
  readonly body?: { readonly bytes: Buffer; readonly type: string | undefined };
}

/**
 * Asks another server in the name of who asks us. Rejects with a StatusError when it cannot be reached; resolves when the answer is
 * through, or when the client or the other server broke off after it had begun.
 */
export async function forward(passage: RequestContext, forwarding: Forwarding): Promise<void> {
  const { exchange, user, auditId } = passage;
  const { target, path, query = exchange.query } = forwarding;
  const upgrade = exchange.upgrades;
  const body = forwarding.body?.bytes ?? (upgrade === undefined ? exchange.incoming() : undefined);
  const identity = [...impersonation(user), ...target.credentials];
  const headers = requestHeaders(exchange, identity, auditId);
  const options: Dispatcher.DispatchOptions = {
    origin: target.origin,
    path: `${target.prefix}${path}${query === '' ? '' : `?${query}`}`,
    method: exchange.method,
    headers: forwarding.body ? withBody(headers, forwarding.body) : headers,
    // Undici reads whatever can be iterated; its types name fewer.
    body: (body ?? null) as Readable | null,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(upgrade === undefined ? {} : { upgrade }),
  };
  const again = body === undefined && ['GET', 'HEAD', 'OPTIONS'].includes(exchange.method);
  try {
    await attempt({ passage, target, options }).catch((error: unknown) => {
      // The connection was an old one that the other server had given up, and nothing was done yet.
      if (again && error instanceof Error && isBroken(error) && !passage.signal.aborted)
        return attempt({ passage, target, options });
      throw error;
    });
  } catch (error) {
    throw error instanceof Error && !(error instanceof StatusError) ? reachFailure(error, target.origin) : error;
  }
}
