/** What is counted of calls to webhooks. Types only. */

/** How a call ended. */
export interface CallEnd {
  /** What the client is told, or would be if the failure counted; 200 when nothing is in the way, 0 for failures of our own. */
  readonly code: number;
  readonly rejected: boolean;
  /** Of a rejection: the webhook said no (`no_error`), could not be asked, or something went wrong here. */
  readonly error: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';
  /** It could not be asked, and that did not matter. */
  readonly failedOpen: boolean;
  /** It could not be asked because the client went away: neither a rejection nor a failure of the webhook. */
  readonly canceled: boolean;
}

export interface CallLabels {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
}

/** Told when a call begins; what it returns is told when it ends. */
export type ObserveCall = (labels: CallLabels) => (end: CallEnd) => void;
