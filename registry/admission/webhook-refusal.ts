import type { Status } from '../../openapi/interface.js';
import { StatusError } from '../../openapi/meta/status.js';

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
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text ? `${head}: ${text}` : `${head} without explanation`,
    ...(reason && { reason }),
    ...(details && { details }),
    code: Math.max(code, 400),
  });
}
