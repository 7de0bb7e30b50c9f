/** Interfaces for the metrics of calls to webhooks. */

/** The outcome of a call. */
export interface CallEnd {
  /** HTTP status code: 200 if the request is allowed, that of the refusal or failure otherwise, 0 for an error of this server. */
  readonly code: number;
  readonly rejected: boolean;
  /** Cause of a rejection: `no_error` is a refusal by the webhook, the others are a failed call and an error of this server. */
  readonly error: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';
  /** The call failed, and the failure policy is Ignore. */
  readonly failedOpen: boolean;
  /** The client cancelled the request during the call, which is neither a rejection nor a failure of the webhook. */
  readonly canceled: boolean;
}

interface CallLabels {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
}

/** Called when a call begins; the returned function is called when it ends. */
export type ObserveCall = (labels: CallLabels) => (end: CallEnd) => void;
