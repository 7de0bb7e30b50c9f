/** Error codes (RFC 9113, section 7). */
export const errorCodes = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

/** The peer violated the protocol, so the connection cannot be used any more. */
export class Http2Error extends Error {
  /** One of `errorCodes`. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A stream has ended early, by the server or because it violates the protocol. The connection remains usable. */
export class StreamError extends Error {
  /** The server has not processed the request, so it may be sent again. */
  readonly refused: boolean;

  constructor(message: string, { refused = false }: { readonly refused?: boolean } = {}) {
    super(message);
    this.refused = refused;
  }
}
