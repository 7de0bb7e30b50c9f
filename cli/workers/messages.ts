import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { MemberAnswer, MemberQuestion } from '../../scheduler/estimators/member-question.js';

/** The metrics of one process. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The messages between the process that owns the store and its workers. */

export type ToWorker =
  /** The store holds everything that a server needs from its start. */
  | { readonly type: 'populated' }
  | { readonly type: 'renew'; readonly certificate: string; readonly key: string }
  /** Ends the worker. */
  | { readonly type: 'stop' }
  /** Requests the worker's metrics. */
  | { readonly type: 'requestMetrics'; readonly id: number }
  /** The answer to `requestAllMetrics`: the metrics of all processes as text. */
  | { readonly type: 'metrics'; readonly id: number; readonly text: string }
  /** The answer to `requestEstimates`. */
  | { readonly type: 'estimates'; readonly id: number; readonly answer: MemberAnswer };

export type FromWorker =
  /** The worker could not start; the fields are those of its error. */
  | { readonly type: 'failed'; readonly name: string; readonly message: string; readonly code: string | undefined }
  /** The answer to `requestMetrics`. */
  | { readonly type: 'workerMetrics'; readonly id: number; readonly metrics: ProcessMetrics }
  /** Requests the metrics of all processes. */
  | { readonly type: 'requestAllMetrics'; readonly id: number }
  /** Asks members for estimates, to which the worker has no connections. */
  | { readonly type: 'requestEstimates'; readonly id: number; readonly question: MemberQuestion };

/**
 * The descriptor of the stream to the process that owns the store. The descriptors before it are the standard streams and the message channel.
 */
export const storeDescriptor = 4;
/** The descriptor of the file with the newest revision (`storage/shared/shared-revision.ts`). */
export const sharedRevisionDescriptor = 5;
