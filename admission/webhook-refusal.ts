import type { Status } from '../apimachinery/interface.js';
import { type StatusError, failure } from '../apimachinery/errors/status.js';

/** What a webhook answers when it says no. */
export interface Denial {
  readonly message?: string;
  readonly reason?: string;
  /** Below 400: 400. */
  readonly code?: number;
  /** Handed on as they are. */
  readonly details?: Status['details'];
}

/** The refusal that a client sees of a webhook's. */
// as apiserver/pkg/admission/plugin/webhook/errors ToStatusErr
export function webhookRefusal(webhook: string, { message, reason, code = 0, details }: Denial): StatusError {
  const head = `admission webhook "${webhook}" denied the request`;
  const text = message || reason;
  const said = text ? `${head}: ${text}` : `${head} without explanation`;
  return failure(Math.max(code, 400), reason ?? '', said, details);
}
