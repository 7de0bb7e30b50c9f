import { StatusError } from '../../apimachinery/errors/status.js';

/** Maximum milliseconds of a Retry-After that is respected, so that a server that asks for hours is noticed soon after it has recovered. */
const maxRetryAfterMs = 30_000;

/** Returns the milliseconds for which the server that sent the error wants no further request; 0 if it does not say. */
export function retryAfterMs(error: unknown): number {
  const seconds = error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) : 0;
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, maxRetryAfterMs) : 0;
}
