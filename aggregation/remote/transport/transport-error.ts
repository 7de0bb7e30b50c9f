import { ConnectionClosed } from '../../../lib/http2/client-session.js';
import { Http2Error, StreamError } from '../../../lib/http2/error.js';

/** A failure of a connection over HTTP/2. The codes are those of undici for HTTP/1.1, so that both are treated and worded in the same way. */
export class TransportError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns the error of a request whose connection the server has closed, or broken off. */
export const closedByServer = (cause?: Error): TransportError =>
  new TransportError('UND_ERR_SOCKET', 'other side closed', cause && { cause });

/** Returns the error of requests that are pending when their client is ended at once, for example since the cluster is gone. They have no answer. */
export const destroyed = (): TransportError => new TransportError('UND_ERR_DESTROYED', 'The client is destroyed');

/** Returns the error of a request to a client that was closed before: it is not sent. */
export const alreadyClosed = (): TransportError => new TransportError('UND_ERR_CLOSED', 'The client is closed');

/** Returns the error of a request whose answer has not begun in time. The server may have carried it out. */
export const headersTimeout = (): TransportError =>
  new TransportError('UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error');

/** Returns the error of an answer of which no further byte has come in time. */
export const bodyTimeout = (): TransportError => new TransportError('UND_ERR_BODY_TIMEOUT', 'Body Timeout Error');

/** Returns the error of a request for which no connection was open within `ms` milliseconds, so that nothing was sent. `server`: `host:port`. */
export const connectTimeout = (server: string, ms: number): TransportError =>
  new TransportError(
    'UND_ERR_CONNECT_TIMEOUT',
    `Connect Timeout Error (attempted address: ${server}, timeout: ${ms}ms)`,
  );

/** Returns the error of a request before which too many wait. The request may be sent again later. */
export const tooManyWait = (server: string): TransportError =>
  new TransportError('UND_ERR_BUSY', `too many requests wait for ${server}`);

/** Returns the error of a request whose answer violates HTTP. */
export const malformed = (fault: string): TransportError =>
  new TransportError('UND_ERR_MALFORMED', `malformed HTTP response: ${fault}`);

/** Returns the error of a request for the error of its stream or connection. Errors of the system stay as they are. */
export function transportError(error: Error): Error {
  if (error instanceof ConnectionClosed) return closedByServer(error);
  if (error instanceof StreamError) return new TransportError('ERR_HTTP2_STREAM_ERROR', error.message);
  return error instanceof Http2Error ? new TransportError('ERR_HTTP2_SESSION_ERROR', error.message) : error;
}
