/** How a call failed: gRPC's code, and the words of the other side, or ours. */
export class CallError extends Error {
  readonly code: number;
  readonly details: string;
  /** It was never taken up, so it was not done. */
  readonly refused: boolean;

  constructor(code: number, details: string, options: { readonly refused?: boolean; readonly cause?: unknown } = {}) {
    super(`${code} ${details}`, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = details;
    this.refused = options.refused ?? false;
  }
}

/** Of gRPC (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). */
export const codes = {
  canceled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;
