/** The error of a failed call: gRPC's code, and the server's or our message. */
export class CallError extends Error {
  readonly code: number;
  readonly details: string;
  /** The call was never processed. */
  readonly refused: boolean;

  constructor(code: number, details: string, options: { readonly refused?: boolean; readonly cause?: unknown } = {}) {
    super(`${code} ${details}`, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = details;
    this.refused = options.refused ?? false;
  }
}

/** gRPC status codes (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). */
export const codes = {
  canceled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;
