/**
 * What controllers are made of: informers that mirror a resource, work queues that dedupe and delay keys, reconcilers that make the
 * world as it should be for one key. `reconcile(key)` carries no event: it reads the world, writes the difference, says when to come again.
 */
import type { Logger } from '../../lib/logging/interface.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Client, CachedObject, ByteProbe } from '../interface.js';
import type { Clock } from '../../lib/clock.js';
import type { Meter } from './meter.js';

/** `namespace/name`, or `name` for cluster-scoped objects. */
export type Key = string;

/** Both states are parsed when they are asked for: who can tell without them whether a change concerns him looks at the rest. */
export interface ObjectChange<T = KubeObject> {
  readonly key: Key;
  readonly old: T | undefined;
  /** Absent: deleted. */
  readonly new: T | undefined;
  /** `old`, unparsed. */
  readonly was: CachedObject | undefined;
  /** `new`, unparsed. */
  readonly is: CachedObject | undefined;
}

/** A live mirror of one resource (or of a selection of it). Objects are shared with everybody: copy before changing. */
export interface Informer<T = KubeObject> {
  get(key: Key): T | undefined;
  list(namespace?: string): readonly T[];
  /** All of them, unparsed. */
  readonly held: ReadonlyMap<Key, CachedObject>;
  /** Of the objects of a namespace; nothing is parsed. O(answer). */
  keysIn(namespace: string): ReadonlySet<Key>;
  /** Objects whose indexer named `index` yielded `value`. O(answer). */
  byIndex(index: string, value: string): readonly T[];
  /** Does the indexer yield anything for the object of this key? Nothing is parsed. */
  isIndexed(index: string, key: Key): boolean;
  /** Called for what is there already, then for every change. Returns the unsubscribe. Must not throw; must return at once. */
  onChange(listener: (change: ObjectChange<T>) => void): () => void;
  /** Resolves when the first list is in. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
}

export type Indexer<T = KubeObject> =
  | ((object: T) => readonly string[])
  /** An object that does not have the mark has no values: it is not parsed to learn that. */
  | { readonly mark: ByteProbe; readonly values: (object: T) => readonly string[] };

export type Indexers<T = KubeObject> = Readonly<Record<string, Indexer<T>>>;

/** One informer per resource and selection, shared by all who ask; started by the first and stopped with the factory. */
export interface InformerFactory {
  informer<T = KubeObject>(resource: GroupVersionResource, options?: InformerOptions<T>): Informer<T>;
  /** Stops and forgets the informers of a resource (a CRD that went away). */
  release(resource: GroupVersionResource): void;
}

export interface InformerOptions<T> {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Added to those of earlier askers. */
  readonly indexers?: Indexers<T>;
}

/** Keys waiting for work. A key is handed out to one worker at a time, and again if it was added meanwhile. */
export interface WorkQueue {
  add(key: Key): void;
  addAfter(key: Key, milliseconds: number): void;
  /** After a failure: exponential backoff per key, joined with an overall rate. */
  addRateLimited(key: Key): void;
  /** Ends the backoff of a key. */
  forget(key: Key): void;
  readonly length: number;
}

/** Counts what happens in a queue. */
export interface QueueSeries {
  added(key: Key): void;
  taken(key: Key): void;
  done(key: Key): void;
  retried(): void;
}

/** Of a queue of this name; `depth`: keys that wait. */
export type ObserveQueue = (name: string, depth: () => number) => QueueSeries;

export type Result = { readonly againAfter: number /* milliseconds */ } | undefined | void;
export type Reconcile = (key: Key, signal: AbortSignal) => Promise<Result>;

export interface ControllerOptions {
  /** The controller-runtime name, for metrics and logs: `binding-controller`. */
  readonly name: string;
  readonly workers?: number;
  readonly reconcile: Reconcile;
  /** Says which changes wake which keys; called once, before the workers start. */
  readonly wire: (queue: WorkQueue) => void;
  /** Waited for before the workers start. */
  readonly synced?: readonly Promise<void>[];
  /** What a key stands for, as fields of a line of the log: the cluster, the object. Absent: the key itself as `object`. */
  readonly describe?: (key: Key) => object;
}

export interface EventRecorder {
  /** Writes a core/v1 Event about the object, or counts up one that says the same. Never throws. */
  event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** What every controller is built from. */
export interface ControllerContext {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly recorder: (component: string) => EventRecorder;
  readonly log: Logger;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  /** Runs until the signal aborts. */
  run(controller: ControllerOptions): void;
}
