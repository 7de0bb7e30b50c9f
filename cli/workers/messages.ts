import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** What a process has counted. */
export type Counted = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What the process that has the store and its workers say to each other. */

export type ToWorker =
  /** The store holds all that a server needs from its beginning. */
  | { readonly type: 'populated' }
  | { readonly type: 'renew'; readonly certificate: string; readonly key: string }
  /** End; requests have so many milliseconds. */
  | { readonly type: 'stop' }
  /** How much have you counted? */
  | { readonly type: 'tellMetrics'; readonly id: number }
  /** The answer to `wantMetrics`: of all processes, as text. */
  | { readonly type: 'metrics'; readonly id: number; readonly text: string };

export type FromWorker =
  /** It could not start: what is known of the error that says why. */
  | { readonly type: 'failed'; readonly name: string; readonly message: string; readonly code: string | undefined }
  /** The answer to `tellMetrics`. */
  | { readonly type: 'counted'; readonly id: number; readonly counted: Counted }
  /** Somebody asks for the metrics of all. */
  | { readonly type: 'wantMetrics'; readonly id: number };

/** The stream to the process that has the store, in a worker. The descriptors before it are the standard streams and the channel of messages. */
export const storeDescriptor = 4;
/** The file with its newest revision (`storage/shared/shared-revision.ts`). */
export const sharedRevisionDescriptor = 5;
