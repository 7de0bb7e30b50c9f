/** What one side tells the other when it breaks off (RFC 9113, section 7). */
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

/** The other side said what may not be said; nothing more can be understood on this connection. */
export class Http2Error extends Error {
  /** One of `errorCodes`. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
