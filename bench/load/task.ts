/**
 * What the load process is asked to do, and what it answers. It is a process of its own that does nothing else, so that what it costs is known,
 * and small: requests are bytes that stand ready, answers are counted and not read.
 */
import type { Endpoint } from '../../aggregation/interface.js';

/** In `path` and `body`, `{i}` stands for the number of the request, `{w}` for the number of the connection. */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  /** Default: application/json. */
  readonly accept?: string;
}

/** So many requests: over HTTP/1.1 on so many connections, or over HTTP/2 as so many streams of one; one at a time on each. */
export interface RequestsTask {
  readonly type: 'requests';
  /** HTTP/2 is for GET. Default: HTTP/1.1. */
  readonly protocol?: 'HTTP/2';
  readonly request: RequestTemplate;
  readonly connections: number;
  readonly count: number;
  /** As many are made before it begins. */
  readonly warm: number;
}

/** Writes at a steady pace over a connection of their own, and watches of what is written. */
export interface WatchTask {
  readonly type: 'watch';
  readonly path: string;
  readonly watchers: number;
  /** HTTP/2 connections, among which the watches are divided. 0: HTTP/1.1, a connection for each. */
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
  /** Milliseconds: of each request; of each delivery, from the moment when the write was sent. */
  readonly latencies: Float64Array;
  /** Of the load process itself. */
  readonly cpuSeconds: number;
}

export type FromLoad =
  /** Connections stand and are warm: from now on it counts. */
  | { readonly type: 'begin' }
  | { readonly type: 'done'; readonly done: Done }
  | { readonly type: 'failed'; readonly why: string };
