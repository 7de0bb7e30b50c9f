/**
 * The messages to and from the load process. It is a separate process, so that its cost is known, and small: requests are prepared bytes,
 * and answers are counted without being parsed.
 */
import type { Endpoint } from '../../aggregation/interface.js';

/** In `path` and `body`, `{i}` is replaced by the index of the request and `{w}` by the index of the connection. */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  /** Default: application/json. */
  readonly accept?: string;
}

/** Requests over HTTP/1.1 connections, or over the streams of one HTTP/2 connection; one at a time on each. */
export interface RequestsTask {
  readonly type: 'requests';
  /** HTTP/2 supports only GET. The default is HTTP/1.1. */
  readonly protocol?: 'HTTP/2';
  readonly request: RequestTemplate;
  readonly connections: number;
  readonly count: number;
  /** Number of requests before the measurement starts. */
  readonly warm: number;
}

/** Writes at a steady rate over a connection of their own, with watches of the written objects. */
export interface WatchTask {
  readonly type: 'watch';
  readonly path: string;
  readonly watchers: number;
  /** Number of HTTP/2 connections, among which the watches are divided; 0 for one HTTP/1.1 connection per watch. */
  readonly connections: number;
  readonly write: RequestTemplate;
  readonly perSecond: number;
  readonly count: number;
}

export type Task = RequestsTask | WatchTask;

export interface Order {
  readonly endpoint: Endpoint;
  readonly task: Task;
}

export interface Done {
  readonly seconds: number;
  /** Latencies in milliseconds: of each request, or of each delivery since the write was sent. */
  readonly latencies: Float64Array;
  /** CPU time of the load process. */
  readonly cpuSeconds: number;
}

export type FromLoad =
  /** The connections are open and warm: the measurement starts. */
  | { readonly type: 'begin' }
  | { readonly type: 'done'; readonly done: Done }
  | { readonly type: 'failed'; readonly why: string };
