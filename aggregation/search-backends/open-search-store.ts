import { FailureState } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';
import { type Meter, noMeter } from '../../client/runtime/meter.js';
import type { Clock } from '../../lib/clock.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { BulkSender, maxOperations } from './bulk-sender.js';
import { SourceComparison, ownerId, versionsId } from './source-comparison.js';
import { openSearchIndex } from './document.js';
import { isOfIndex } from './faults.js';
import type { OpenSearchSettings, Source } from './interface.js';
import { KnownIndexes } from './known-indexes.js';
import { OpenSearchClient, type StoredDocument } from './open-search-client.js';
import { Refusals } from './refusals.js';
import { idOf, maxPauseMs, minPauseMs, pauseAfter, type Queued, SendQueue } from './send-queue.js';

interface StoreDeps {
  readonly log: Logger;
  readonly clock: Clock;
  /** Names the store in the log. */
  readonly registry: string;
  /** Counts refused objects. */
  readonly meter?: Meter;
  /** Reports whether any registry selects a version of a kind in a cluster. Absent: only that of this store does. */
  readonly isSelected?: (owner: Pick<Source, 'cluster' | 'apiVersion' | 'kind'>) => boolean;
  /** Maximum number of queued objects; absent: 100,000. */
  readonly maxQueued?: number;
}

interface Followed {
  readonly source: Source;
  readonly unsubscribe: () => void;
  /** The objects of the source have to be compared with their documents. */
  isStale: boolean;
  /** How often the comparison failed because of the index, and when it is tried again, in milliseconds of the clock. */
  failures: number;
  notBefore: number;
}

const defaultMaxQueued = 100_000;

/**
 * Keeps the documents of an OpenSearch like the objects of the mirrors. What could not be sent waits for the next attempt; what the OpenSearch refuses
 * for its own sake waits until it changes. When the queue is full, the objects of the source are compared with its documents later.
 */
export class OpenSearchStore {
  readonly #client: OpenSearchClient;
  readonly #deps: StoreDeps;
  readonly #queue = new SendQueue();
  readonly #followed = new Map<string, Followed>();
  readonly #indexes: KnownIndexes;
  readonly #sender: BulkSender;
  readonly #stop = new AbortController();
  readonly #failures: FailureState;
  readonly #refusals: Refusals;
  readonly #done: Promise<void>;
  #wake = (): void => undefined;
  #pauseMs = minPauseMs;

  constructor(settings: OpenSearchSettings, deps: StoreDeps) {
    this.#client = new OpenSearchClient(settings);
    this.#indexes = new KnownIndexes(this.#client);
    this.#deps = deps;
    const { log, clock } = deps;
    const now = (): number => clock.now();
    this.#failures = new FailureState({
      ...{ log, now },
      fails: 'an OpenSearch does not answer or is overloaded; objects are sent when it works again',
      works: 'an OpenSearch works again',
    });
    const { registry, meter = noMeter } = deps;
    this.#refusals = new Refusals({ log, clock, meter, registry });
    this.#sender = new BulkSender({
      ...{ client: this.#client, clock, registry },
      ...{ queue: this.#queue, indexes: this.#indexes, refusals: this.#refusals, failures: this.#failures },
      isFollowed: queued => this.#isFollowed(queued),
      lostIndex: index => this.#lostIndex(index),
      accepted: () => void (this.#pauseMs = minPauseMs),
    });
    this.#done = this.#run();
  }

  get queued(): number {
    return this.#queue.size;
  }

  /**
   * Sends the objects of these sources and their changes from now on, and no others. The documents of a source that has left stay, unless there is
   * one of another version of its kind.
   */
  follow(sources: readonly Source[]): void {
    const wanted = new Map(sources.map(source => [source.id, source]));
    const left = new Set<string>();
    for (const [id, { source, unsubscribe }] of this.#followed) {
      if (wanted.get(id) === source) continue;
      unsubscribe();
      this.#followed.delete(id);
      this.#queue.removeSource(source);
      this.#refusals.endWhere(each => each === source);
      left.add(versionsId(source));
    }
    // The documents of a version that has left are those of another one now, or have no owner.
    for (const { source } of this.#followed.values())
      if (left.has(versionsId(source)) && source.hasSynced) this.#markStale(source);
    for (const [id, source] of wanted) if (!this.#followed.has(id)) this.#begin(source);
  }

  /** Ends at once; what is queued is not sent. */
  async close(): Promise<void> {
    this.follow([]);
    this.#stop.abort();
    this.#wake();
    await this.#client.close();
    await this.#done;
    this.#refusals.close();
  }

  #begin(source: Source): void {
    const unsubscribe = source.onChange((key, uids) => {
      for (const uid of new Set(uids)) if (uid) this.#add({ source, key, uid });
    });
    this.#followed.set(source.id, { source, unsubscribe, isStale: false, failures: 0, notBefore: 0 });
    void source.synced.then(() => this.#markStale(source));
  }

  #markStale(source: Source): void {
    const followed = this.#followed.get(source.id);
    if (followed?.source !== source) return;
    followed.isStale = true;
    this.#wake();
  }

  #add(queued: Queued): void {
    const { maxQueued = defaultMaxQueued } = this.#deps;
    if (this.#queue.size >= maxQueued && !this.#queue.has(idOf(queued))) return this.#markStale(queued.source);
    this.#queue.add(queued);
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const now = this.#deps.clock.now();
      const stale = [...this.#followed.values()].find(({ isStale, notBefore }) => isStale && notBefore <= now);
      this.#queue.wakeUntil(now);
      if (this.#queue.ready > 0) await this.#orPause(this.#sender.send());
      else if (stale) await this.#orPause(this.#compare(stale));
      else await this.#idle();
    }
  }

  /** Resolves when the work is done, or after a pause if it fails. */
  async #orPause(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!this.#stop.signal.aborted) await this.#pause(error);
    }
  }

  /** Resolves when something is queued, a source is stale, or an object that waits is ready. */
  async #idle(): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const { clock } = this.#deps;
    let { nextAt } = this.#queue;
    for (const { isStale, notBefore } of this.#followed.values()) if (isStale) nextAt = Math.min(nextAt, notBefore);
    if (nextAt < Infinity) return clock.sleep(Math.max(nextAt - clock.now(), 1), woken.signal);
    await new Promise<void>(resolve => woken.signal.addEventListener('abort', () => resolve()));
  }

  async #pause(error: unknown): Promise<void> {
    const { clock, registry } = this.#deps;
    this.#failures.failed(error, { registry });
    await clock.sleep(this.#pauseMs, this.#stop.signal);
    this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
  }

  /** Compares all stale sources of an index: they share one pass over its documents, which are those of all clusters. */
  async #compare({ source: { kind } }: Followed): Promise<void> {
    const index = openSearchIndex(kind);
    const stale = [...this.#followed.values()].filter(
      ({ source, isStale }) => isStale && openSearchIndex(source.kind) === index,
    );
    for (const followed of stale) followed.isStale = false;
    // A source that has stopped before its first list has no objects, but its cluster may have; one that is not known yet becomes stale later.
    const known = stale.filter(({ source }) => source.hasSynced);
    if (known.length === 0) return;
    const comparisons = known.map(({ source }) => new SourceComparison(source));
    try {
      for (const comparison of comparisons) await this.#addObjects(comparison);
      await this.#indexes.ensure(index);
      await this.#addDocuments(index, comparisons);
      for (const followed of known) followed.failures = 0;
    } catch (error) {
      for (const followed of known) followed.isStale = true;
      if (!isOfIndex(error)) throw error;
      // Sources of other indexes are compared meanwhile.
      this.#failures.failed(error, { registry: this.#deps.registry, index });
      const now = this.#deps.clock.now();
      for (const followed of known) followed.notBefore = now + pauseAfter(followed.failures++);
    } finally {
      for (const { end } of comparisons) end();
    }
  }

  /** Queues all objects of a source. */
  async #addObjects({ source, uids }: SourceComparison): Promise<void> {
    for (const key of source.keys()) {
      const uid = source.get(key)?.uid;
      if (!uid) continue;
      uids.add(uid);
      await this.#addInTurn({ source, key, uid });
    }
  }

  /** Queues the documents of the sources that have no object, and those of versions that nothing selects any more. */
  async #addDocuments(index: string, comparisons: readonly SourceComparison[]): Promise<void> {
    const owners = new Map(comparisons.map(comparison => [ownerId(comparison.source), comparison]));
    const versions = new Map(comparisons.map(comparison => [versionsId(comparison.source), comparison]));
    for await (const documents of this.#client.documents(index))
      for (const document of documents) {
        const other = versions.get(versionsId(document));
        const { source, uids } = owners.get(ownerId(document)) ?? (other && !this.#isSelected(document) ? other : {});
        if (source?.includes(document.namespace) && !uids?.has(document.id))
          await this.#addInTurn({ source, key: '', uid: document.id });
      }
  }

  /** Reports whether this registry or another one selects the version of the kind. */
  #isSelected(document: StoredDocument): boolean {
    const id = ownerId(document);
    for (const { source } of this.#followed.values()) if (ownerId(source) === id) return true;
    return this.#deps.isSelected?.(document) ?? false;
  }

  /** Queues an object once there is room, so that a comparison never fills the queue for changes. */
  async #addInTurn(queued: Queued): Promise<void> {
    await yieldToEventLoop();
    const { clock, maxQueued = defaultMaxQueued } = this.#deps;
    while (this.#queue.ready >= maxOperations || this.#queue.size >= maxQueued) {
      this.#queue.wakeUntil(clock.now());
      // A failure does not end the comparison: it would begin anew, and send the same objects again.
      if (this.#queue.ready > 0) await this.#orPause(this.#sender.send());
      else await this.#idle();
      if (this.#stop.signal.aborted) return;
    }
    if (this.#isFollowed(queued) && !this.#queue.has(idOf(queued))) this.#queue.add(queued);
  }

  /** An index that was deleted has lost all documents, and its next mapping may accept what the former one refused. */
  #lostIndex(index: string): void {
    if (!this.#indexes.forget(index)) return;
    const isIn = (source: Source): boolean => openSearchIndex(source.kind) === index;
    this.#refusals.endWhere(isIn);
    for (const followed of this.#followed.values()) if (isIn(followed.source)) followed.isStale = true;
  }

  #isFollowed({ source }: Queued): boolean {
    return this.#followed.get(source.id)?.source === source;
  }
}
