/**
 * Interfaces to call webhooks for admission and conversion; implemented in `aggregation/webhooks`.
 */

/** A Service of the control plane, with a path. */
interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** The default is 443. */
  readonly port?: number;
  /** A Service that the control plane does not have is one of the cluster that it runs in, and is called by its DNS name. */
  readonly fallsBackToDns?: boolean;
}

/** Address and CA of a webhook: `clientConfig` of a webhook configuration or of a CRD. Either url or service is set. */
export interface WebhookTarget {
  readonly url?: string;
  readonly service?: WebhookService;
  /** Base64 of PEM; absent or empty for the roots of the system. */
  readonly caBundle?: string;
}

export interface WebhookRequest {
  readonly target: WebhookTarget;
  /** A review, sent as JSON; a string is JSON already. */
  readonly review: object | string;
  /** Timeout in milliseconds, up to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Sends the timeout to the webhook as `?timeout=10s`. */
  readonly sendTimeout?: boolean;
  /** Aborts when the caller does not wait any more. */
  readonly signal?: AbortSignal;
}

/** Properties of the Error of a caller. */
export interface CallFault {
  /** Status code of an error answer; absent if there was no answer. */
  readonly code?: number;
  /** The caller has aborted the call. */
  readonly canceled?: boolean;
}

/**
 * Calls a webhook. Resolves with the JSON of its answer. Rejects with an Error that has kube-apiserver's message and the fields of
 * CallFault: `Post "https://...": dial tcp ...: connect: connection refused`, `Post "https://...": context deadline exceeded`.
 */
export type WebhookCaller = (request: WebhookRequest) => Promise<unknown>;
