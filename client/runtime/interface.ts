/**
 * The parts of controllers: informers that mirror a resource, work queues that deduplicate and delay keys, and reconcilers.
 * `reconcile(key)` gets no event: it reads the current state, writes the difference, and returns when to run again.
 */
import type { Logger } from '../../lib/logging/interface.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Lists } from '../watch/follow.js';
import type { Client, CachedObject, ByteProbe } from '../interface.js';
import type { Clock } from '../../lib/clock.js';
import type { Meter } from './meter.js';

/** Key of an object: `namespace/name`, or `name` if cluster-scoped. */
export type Key = string;

/** A change of an object. `old` and `new` are parsed on first use; a listener that needs only the key or a probe uses the other fields. */
export interface ObjectChange<T = KubeObject> {
  readonly key: Key;
  readonly old: T | undefined;
  /** undefined after a deletion. */
  readonly new: T | undefined;
  /** `old`, unparsed. */
  readonly oldCached: CachedObject<T> | undefined;
  /** `new`, unparsed. */
  readonly newCached: CachedObject<T> | undefined;
  /** The object existed when the listener subscribed. as client-go tools/cache ResourceEventHandler isInInitialList */
  readonly isReplay?: boolean;
}

/** A live mirror of one resource, or of a selection of it. Objects are shared: copy one before changing it. */
export interface Informer<T = KubeObject> {
  get(key: Key): T | undefined;
  list(namespace?: string): readonly T[];
  /** All objects by key, unparsed. */
  readonly cached: ReadonlyMap<Key, CachedObject<T>>;
  /** Returns the keys of the objects of a namespace without parsing. O(answer), apart from some first calls. */
  keysIn(namespace: string): ReadonlySet<Key>;
  /** Yields the keys of the objects with a name, whatever their namespace, without parsing. O(namespaces). */
  keysNamed(name: string): Iterable<Key>;
  /** Returns the objects for which the indexer named `index` returned `value`. O(answer). */
  byIndex(index: string, value: string): readonly T[];
  /** Returns the keys of these objects without parsing. The iterable is live: it may change while it is read. */
  keysByIndex(index: string, value: string): Iterable<Key>;
  /** Reports whether the indexer returned any value for the object, without parsing. */
  isIndexed(index: string, key: Key): boolean;
  /**
   * Calls the listener for existing objects, then for every change. It must not throw or block. Many objects are reported in several turns of the
   * event loop, see `replayed`: a change meanwhile is reported some turns later, and as the addition of an object that is not reported yet. Returns a
   * function to unsubscribe.
   */
  onChange(listener: (change: ObjectChange<T>) => void): () => void;
  /** As `onChange`, without the existing objects. */
  onLaterChange(listener: (change: ObjectChange<T>) => void): () => void;
  /** Resolves when the listeners so far have been called for the existing objects, or when the informer stops. */
  readonly replayed: Promise<void>;
  /** Resolves when the first list is in the mirror and in the indexes so far, or when the informer stops. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  readonly lists: Lists;
  /** Resolves when the first list is in the mirror or has failed, or when the informer stops. */
  readonly attempted: Promise<void>;
  /** A list has failed, and none has succeeded yet: the server may not serve the resource, or the user may not list it. */
  readonly hasFailed: boolean;
}

export type Indexer<T = KubeObject> =
  | ((object: T) => readonly string[])
  /** An object without the probed property has no values and is not parsed. */
  | { readonly probe: ByteProbe; readonly values: (object: T) => readonly string[] }
  /** The values follow from the labels and the key, so that no object is parsed. */
  | { readonly ofLabels: (labels: Readonly<Record<string, string>>, key: Key) => readonly string[] };

export type Indexers<T = KubeObject> = Readonly<Record<string, Indexer<T>>>;

/** Holds one shared informer per resource and selection; it starts at the first request and stops with the factory. */
export interface InformerFactory {
  readonly informer: <T extends KubeObject = KubeObject>(
    resource: GroupVersionResource,
    options?: InformerOptions<T>,
  ) => Informer<T>;
  /** Resolves when the listeners of all its informers so far have been called for the existing objects. */
  replayed(): Promise<void>;
  /** Stops and removes the informers of a resource, such as that of a deleted CRD; only that of a selection if one is given. */
  release(resource: GroupVersionResource, selection?: Selection): void;
}

/** Selects objects of a resource. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface InformerOptions<T> extends Selection {
  /** Added to the indexers of earlier requests. */
  readonly indexers?: Indexers<T>;
}

/** A work queue of keys. A key is processed by one worker at a time, and again if it was added meanwhile. */
export interface WorkQueue {
  add(key: Key): void;
  /**
   * Adds a key with low priority: it is processed when no other key is ready, and at a small rate while there are others. A key that is added both
   * ways has the usual priority.
   */
  addLow(key: Key): void;
  addAfter(key: Key, milliseconds: number): void;
  /** Adds a key after a failure, with exponential backoff per key and a rate limit per group, but not before `minMs` milliseconds. */
  addRateLimited(key: Key, minMs?: number): void;
  /** Resets the backoff of a key. */
  forget(key: Key): void;
  /** Records that the server of a group has answered: a group that has failed works again. A success of a key alone does not show that. */
  answered(group: string): void;
  /** Ends the pause of a group that has failed, resets the backoff of its keys, and adds those that have failed, since the reason may be gone. */
  resume(group: string): void;
  readonly length: number;
}

/** Divides the keys of a queue into groups, such as those of one member: a group that is slow or fails does not delay the others. */
export interface KeyGrouping {
  /** Returns the name of the group. hot: several times per reconciliation. */
  readonly of: (key: Key) => string;
  /** Maximum number of keys of a group that are processed at once. */
  readonly maxWorkers: number;
  /**
   * Reconciliations wait for a remote server, such as a member. Those that take long do not occupy `workers` of the controller; only their
   * number per group and in total is limited.
   */
  readonly waitsForRemote?: boolean;
}

/** Metrics of a queue. */
export interface QueueSeries {
  added(key: Key): void;
  taken(key: Key): void;
  done(key: Key): void;
  retried(): void;
}

/** Creates the metrics of a queue; `depth` returns the number of waiting keys. */
export type ObserveQueue = (name: string, depth: () => number) => QueueSeries;

interface Again {
  /** Milliseconds until the key is reconciled again. Absent: the reconciler has added it to the queue. */
  readonly againAfter?: number;
  /** The key is only partly reconciled: earlier failures of the key count until the last part is done. */
  readonly isPartial?: boolean;
}

export type ReconcileResult = Again | undefined | void;
type Reconcile = (key: Key, signal: AbortSignal) => Promise<ReconcileResult>;

export interface ControllerOptions {
  /** The controller-runtime name, for metrics and logs: `binding-controller`. */
  readonly name: string;
  readonly workers?: number;
  /** Maximum milliseconds until a key that failed is tried again, in spite of its backoff and of the common rate of retries. */
  readonly maxRetryMs?: number;
  /** Absent: all keys are one group. */
  readonly groups?: KeyGrouping;
  readonly reconcile: Reconcile;
  /** Registers which changes add which keys to the queue; called once, before the workers start. */
  readonly wire: (queue: WorkQueue) => void;
  /** Promises to wait for before the workers start. */
  readonly synced?: readonly Promise<void>[];
  /** Returns the log fields for a key, such as cluster and object. The default is the key as `object`. */
  readonly describe?: (key: Key) => object;
}

export interface EventRecorder {
  /** Writes a core/v1 Event about the object, or increases the count of an equal one. Never throws. */
  event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** The dependencies of every controller. */
export interface ControllerContext {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly recorder: (component: string) => EventRecorder;
  readonly log: Logger;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  /** Runs until the signal aborts. */
  readonly run: (controller: ControllerOptions) => void;
  /**
   * Returns the number of keys that wait in the queues of controllers of these names. Keys for a cluster that is slow or fails do not count, and
   * those for any other cluster only up to a share, so that a busy one is no backlog of all.
   */
  backlog(controllers: ReadonlySet<string>): number;
}
