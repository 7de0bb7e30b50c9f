import { setMaxListeners } from 'node:events';
import type { Logger } from '../../../lib/logging/interface.js';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { isUnreachable } from '../../../lib/logging/cause.js';
import { FailureStates } from '../../../lib/logging/failure-state.js';
import { qualified, StatusError } from '../../../apimachinery/errors/status.js';
import type { MirrorBudget } from '../../watch/budget.js';
import { follow, type Lists } from '../../watch/follow.js';
import { eachInTurns } from '../../../lib/time-slice.js';
import { MirrorChange } from './mirror-change.js';
import { Namespaces } from './namespaces.js';
import { fewObjects, Replay } from './replay.js';
import type { CachedObject, ListerWatcher, ListQuery } from '../../interface.js';
import { Index } from './indexer.js';
import type {
  Indexers,
  Informer,
  InformerFactory,
  InformerOptions,
  Key,
  ObjectChange,
  Selection,
} from '../interface.js';
import type { Clock } from '../../../lib/clock.js';

/** Maximum backoff in milliseconds: the server may be remote, and many clients may be retrying. */
const maxRetryMs = 30_000;

interface InformerDeps {
  readonly client: ListerWatcher;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Memory budget of all mirrors together; absent for no limit. */
  readonly budget?: MirrorBudget;
  /** Fields of all log lines, such as the cluster. */
  readonly fields?: object;
}

interface SharedInformerOptions extends InformerDeps {
  readonly resource: GroupVersionResource;
  readonly selection: ListQuery;
  /** The resource and the selection. */
  readonly id: string;
  readonly failureStates: FailureStates;
}

/** A mirror that is shared by all its users, each with its own indexers. It starts at once, and stops with the signal. */
class SharedInformer implements Informer {
  readonly cached: ReadonlyMap<Key, CachedObject>;
  readonly lists: Lists;
  readonly attempted: Promise<void>;
  readonly #options: SharedInformerOptions;
  readonly #namespaces: Namespaces;
  readonly #indexes = new Map<string, Index>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  readonly #replays = new Set<Replay>();
  #synced: Promise<void>;
  #hasSynced = false;
  /** The number of indexes that do not have all objects yet. */
  #incompleteIndexes = 0;
  #hasFailed = false;
  #markAttempted = (): void => undefined;

  constructor(options: SharedInformerOptions) {
    const { resource, client, selection, id, clock, signal, budget, failureStates } = options;
    this.#options = options;
    const failed = new Promise<void>(resolve => (this.#markAttempted = resolve));
    const followed = follow(resource, {
      ...{ client, selection, clock, maxRetryMs, signal, ...(budget && { budget }) },
      onChange: (key, oldCached, newCached) => this.#apply(key, oldCached, newCached),
      onError: err => this.#failed(err),
      onEvent: () => failureStates.worked(id),
    });
    this.cached = followed.objects;
    this.lists = followed.lists;
    this.#namespaces = new Namespaces(followed.objects);
    this.#synced = followed.synced.then(
      () => void (this.#hasSynced = true),
      () => undefined, // A stopped informer resolves, so that nothing waits for it forever.
    );
    this.attempted = Promise.race([this.#synced, failed]);
  }

  get synced(): Promise<void> {
    return this.#synced;
  }

  get hasSynced(): boolean {
    return this.#hasSynced && this.#incompleteIndexes === 0;
  }

  get replayed(): Promise<void> {
    return Promise.all([...this.#replays].map(({ done }) => done)).then(() => undefined);
  }

  get hasFailed(): boolean {
    return this.#hasFailed && !this.#hasSynced;
  }

  get(key: Key): KubeObject | undefined {
    return this.cached.get(key)?.object;
  }

  list(namespace?: string): readonly KubeObject[] {
    if (namespace) return this.#objectsAt(this.#namespaces.keysIn(namespace));
    const objects: KubeObject[] = [];
    // No key is looked up: that would take most of the time.
    for (const { object } of this.cached.values()) objects.push(object);
    return objects;
  }

  keysIn(namespace: string): ReadonlySet<Key> {
    return this.#namespaces.keysIn(namespace);
  }

  keysNamed(name: string): Iterable<Key> {
    return this.#namespaces.keysNamed(name);
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    return this.#objectsAt(this.#indexOf(index).keys(value));
  }

  keysByIndex(index: string, value: string): Iterable<Key> {
    return this.#indexOf(index).keys(value);
  }

  isIndexed(index: string, key: Key): boolean {
    return this.#indexOf(index).has(key);
  }

  onChange(listener: (change: ObjectChange) => void): () => void {
    if (Replay.atOnce(this.cached, listener)) return this.onLaterChange(listener);
    const replay = new Replay(this.cached, listener);
    this.#replays.add(replay);
    const unfollow = this.onLaterChange(replay.passOn);
    const stop = (): void => {
      replay.stop();
      unfollow();
    };
    const { signal } = this.#options;
    signal.addEventListener('abort', stop, { once: true });
    void replay.done.finally(() => {
      this.#replays.delete(replay);
      signal.removeEventListener('abort', stop);
    });
    return stop;
  }

  onLaterChange(listener: (change: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds indexers whose names are not known yet. They have all objects when `synced` resolves. */
  addIndexers(indexers: Indexers): void {
    for (const [name, values] of Object.entries(indexers)) {
      if (this.#indexes.has(name)) continue;
      const index = new Index(values);
      this.#indexes.set(name, index);
      if (this.cached.size > fewObjects) this.#synced = this.#fill(index);
      else for (const [key, cached] of this.cached) index.replace(key, cached);
    }
  }

  /** Indexes the existing objects. Changes meanwhile are indexed at once, so that the order in which an object is met does not matter. */
  async #fill(index: Index): Promise<void> {
    const synced = this.#synced;
    this.#incompleteIndexes++;
    const { signal } = this.#options;
    await eachInTurns(this.cached, ([key, cached]) => {
      if (!signal.aborted) index.replace(key, cached);
    });
    this.#incompleteIndexes--;
    await synced;
  }

  // hot: once per change and mirror.
  #apply(key: Key, oldCached: CachedObject | undefined, newCached: CachedObject | undefined): void {
    if (!oldCached) this.#namespaces.added(key);
    else if (!newCached) this.#namespaces.removed(key);
    for (const index of this.#indexes.values()) index.replace(key, newCached);
    if (this.#listeners.size === 0) return;
    const change = new MirrorChange(key, oldCached, newCached);
    for (const listener of this.#listeners) listener(change);
  }

  #failed(err: unknown): void {
    this.#hasFailed = true;
    this.#markAttempted();
    const { resource, id, log, failureStates } = this.#options;
    const fields = { ...this.#options.fields, resource: qualified(resource.resource, resource.group) };
    log.debug({ ...fields, err }, 'a watch failed');
    // An unreachable member or store is reported elsewhere, once for all watches. A kind that is not served is not a failure: its mirror is empty.
    const isNotServed = err instanceof StatusError && err.code === 404 && this.cached.size === 0;
    if (!isUnreachable(err) && !isNotServed) failureStates.failed(id, err, fields);
  }

  #objectsAt(keys: Iterable<Key>): KubeObject[] {
    const found: KubeObject[] = [];
    for (const key of keys) {
      const cached = this.cached.get(key);
      if (cached) found.push(cached.object);
    }
    return found;
  }

  #indexOf(name: string): Index {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`informer of ${this.#options.resource.resource} has no index ${name}`);
    return index;
  }
}

const idOf = (
  { group, version, resource }: GroupVersionResource,
  { namespace = '', labelSelector = '', fieldSelector = '' }: Selection,
): string => JSON.stringify([group, version, resource, namespace, labelSelector, fieldSelector]);

interface RunningInformer {
  readonly selection: Selection;
  readonly informer: SharedInformer;
  readonly stop: AbortController;
}

/** Informers over one client, shared by resource and selection; they stop with the signal. */
class SharedInformers implements InformerFactory {
  readonly #deps: InformerDeps;
  readonly #failureStates: FailureStates;
  readonly #running = new Map<string, RunningInformer>();

  constructor(deps: InformerDeps) {
    this.#deps = deps;
    this.#failureStates = new FailureStates({
      ...{ log: deps.log, now: () => deps.clock.now() },
      fails: 'a resource cannot be watched; it is tried again',
      works: 'a resource can be watched again',
    });
  }

  readonly informer = <T extends KubeObject = KubeObject>(
    resource: GroupVersionResource,
    { indexers, ...selection }: InformerOptions<T> = {},
  ): Informer<T> => {
    const id = idOf(resource, selection);
    const running = this.#running.get(id) ?? this.#start(id, resource, selection);
    if (indexers) running.informer.addIndexers(indexers as Indexers);
    const shared: Informer = running.informer;
    return shared as Informer<T>;
  };

  async replayed(): Promise<void> {
    await Promise.all(Array.from(this.#running.values(), ({ informer }) => informer.replayed));
  }

  release(resource: GroupVersionResource, selection?: Selection): void {
    for (const [id, running] of this.#running) {
      if (id !== idOf(resource, selection ?? running.selection)) continue;
      running.stop.abort();
      this.#running.delete(id);
    }
  }

  #start(id: string, resource: GroupVersionResource, selection: Selection): RunningInformer {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#deps.signal, stop.signal]);
    setMaxListeners(0, signal); // Each replay is a listener.
    const failureStates = this.#failureStates;
    const informer = new SharedInformer({ ...this.#deps, resource, selection, id, failureStates, signal });
    const running = { selection, informer, stop };
    this.#running.set(id, running);
    return running;
  }
}

/** Returns a factory whose informers share one mirror for each resource and selection. */
export const createInformerFactory = (deps: InformerDeps): InformerFactory => new SharedInformers(deps);
