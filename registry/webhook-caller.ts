/**
 * Webhooks: servers of others that are asked about objects, for admission and for conversion. Types only; who speaks to them is
 * `aggregation/webhooks`.
 */

/** A Service of the control plane and a path behind it. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** Absent: 443. */
  readonly port?: number;
}

/** Where a webhook is and who vouches for it: `clientConfig` of a webhook configuration or of a definition. Either url or service. */
export interface WebhookTarget {
  readonly url?: string;
  readonly service?: WebhookService;
  /** Base64 of PEM; absent or empty: the roots of the system. */
  readonly caBundle?: string;
}

export interface WebhookRequest {
  readonly target: WebhookTarget;
  /** A review, sent as JSON. */
  readonly review: object;
  /** Milliseconds until the last byte of the answer. */
  readonly timeoutMs: number;
  /** Tell the webhook how long it is waited for, as `?timeout=10s`. */
  readonly tellTimeout?: boolean;
  /** Whoever asks does not wait any more. */
  readonly signal?: AbortSignal;
}

/** What an Error of a caller says besides its message. */
export interface CallFault {
  /** Of an answer that is none; absent: there was no answer. */
  readonly code?: number;
  /** Whoever asked does not wait any more. */
  readonly canceled?: boolean;
}

/**
 * Asks a webhook and gives the JSON of its answer. Rejects with a plain Error when there is none, whose message is what kube-apiserver
 * says of it, with the fields of CallFault: `Post "https://...": dial tcp ...: connect: connection refused`, `Post "https://...": context deadline exceeded`.
 */
export type WebhookCaller = (request: WebhookRequest) => Promise<unknown>;
