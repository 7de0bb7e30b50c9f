import type { Status } from '../apimachinery/interface.js';
import { type StatusError, failure } from '../apimachinery/errors/status.js';

/** The refusal in the response of a webhook. */
export interface Denial {
  readonly message?: string;
  readonly reason?: string;
  /** HTTP status code; a code below 400 becomes 400. */
  readonly code?: number;
  /** Passed to the client unchanged. */
  readonly details?: Status['details'];
}

/** Returns the error that the client gets for the refusal of a webhook. */
// as apiserver/pkg/admission/plugin/webhook/errors ToStatusErr
export function webhookRefusal(webhook: string, { message, reason, code = 0, details }: Denial): StatusError {
  const head = `admission webhook "${webhook}" denied the request`;
  const text = message || reason;
  const sentence = text ? `${head}: ${text}` : `${head} without explanation`;
  return failure(Math.max(code, 400), reason ?? '', sentence, details);
}
