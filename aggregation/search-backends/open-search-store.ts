/**
 * Keeps the documents of an OpenSearch like the objects of the mirrors. What could not be sent waits for the next attempt; what the OpenSearch refuses
 * for its own sake waits until it changes. When the queue is full, the objects of the source are compared with its documents later.
 */
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';
import { type Meter, noMeter } from '../../client/runtime/meter.js';
import type { Clock } from '../../lib/clock.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { documentOf, openSearchIndex } from './document.js';
import type { OpenSearchSettings, Source } from './interface.js';
import { type BulkResult, OpenSearchClient, RequestError, type StoredDocument } from './open-search-client.js';
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

/** An object of a bulk request. */
interface Sent {
  readonly queued: Queued;
  /** The version that was sent; '' for the deletion of a document. */
  readonly version: string;
  /** The operation as lines of JSON. */
  readonly text: string;
}

interface Followed {
  readonly source: Source;
  readonly unsubscribe: () => void;
  /** Its objects and its documents are to be compared. */
  isStale: boolean;
  /** How often that failed because of the index, and when it is tried again, in milliseconds of the clock. */
  failures: number;
  notBefore: number;
}

/** Limits of a bulk request, in operations and bytes. */
const maxOperations = 500;
const maxBytes = 5 * 1024 * 1024;
const defaultMaxQueued = 100_000;
type Owner = Pick<StoredDocument, 'cluster' | 'apiVersion' | 'kind'>;

/** Returns the key of a source in an index. An index has the objects of several: it is named by the kind only. */
const ownerId = ({ cluster, apiVersion, kind }: Owner): string => JSON.stringify([cluster, apiVersion, kind]);

/** Returns the key of the versions of a kind in a cluster. An object has the same uid, and thus the same document, in all of them. */
const versionsId = ({ cluster, apiVersion, kind }: Owner): string =>
  JSON.stringify([cluster, readApiVersion(apiVersion)?.group ?? apiVersion, kind]);

/** A source whose objects and documents are being compared. */
class Comparison {
  readonly source: Source;
  /** The objects that have or get a document, including those that are created meanwhile. */
  readonly uids = new Set<string>();
  readonly end: () => void;

  constructor(source: Source) {
    this.source = source;
    this.end = source.onChange((_key, [, uid]) => uid && this.uids.add(uid));
  }
}

/** The errors with status 400 that are those of an index or of the cluster, not of the object. */
const indexErrors = /^(?:index_closed_exception|validation_exception)\b/;

/** Reports whether the OpenSearch refuses the object for its own sake, and would again. Everything else that fails may succeed later. */
const isRefused = ({ status, error }: BulkResult): boolean =>
  status === 413 || (status === 400 && !indexErrors.test(error));

/** Reports whether one index cannot be created or read, as opposed to all. */
const isOfIndex = (error: unknown): boolean =>
  error instanceof RequestError && (error.status === 400 || error.status === 403);

/** Reports whether the OpenSearch refuses a whole request because of what it contains, as opposed to a proxy that has no such type of error. */
const isBadRequest = (error: unknown): error is RequestError =>
  error instanceof RequestError && (error.status === 413 || (error.status === 400 && error.type !== ''));

export class OpenSearchStore {
  readonly #client: OpenSearchClient;
  readonly #deps: StoreDeps;
  readonly #queue = new SendQueue();
  readonly #followed = new Map<string, Followed>();
  /** The indexes that exist. */
  readonly #indexes = new Set<string>();
  readonly #stop = new AbortController();
  readonly #failures: FailureState;
  readonly #refusals: Refusals;
  readonly #done: Promise<void>;
  #wake = (): void => undefined;
  #pauseMs = minPauseMs;
  /** Halved when a request was too large, down to one. */
  #operations = maxOperations;

  constructor(settings: OpenSearchSettings, deps: StoreDeps) {
    this.#client = new OpenSearchClient(settings);
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
      if (this.#queue.ready > 0) await this.#orPause(this.#send());
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
    const comparisons = known.map(({ source }) => new Comparison(source));
    try {
      for (const comparison of comparisons) await this.#addObjects(comparison);
      await this.#ensureIndex(index);
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
  async #addObjects({ source, uids }: Comparison): Promise<void> {
    for (const key of source.keys()) {
      const uid = source.get(key)?.uid;
      if (!uid) continue;
      uids.add(uid);
      await this.#addInTurn({ source, key, uid });
    }
  }

  /** Queues the documents of the sources that have no object, and those of versions that nothing selects any more. */
  async #addDocuments(index: string, comparisons: readonly Comparison[]): Promise<void> {
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
      if (this.#queue.ready > 0) await this.#orPause(this.#send());
      else await this.#idle();
      if (this.#stop.signal.aborted) return;
    }
    if (this.#isFollowed(queued) && !this.#queue.has(idOf(queued))) this.#queue.add(queued);
  }

  async #ensureIndex(index: string): Promise<void> {
    if (this.#indexes.has(index)) return;
    await this.#client.createIndex(index);
    this.#indexes.add(index);
  }

  /** Takes the oldest objects from the queue, sends them, and queues again what may succeed later. Rejects if the OpenSearch needs a pause. */
  async #send(): Promise<void> {
    const batch: Sent[] = [];
    let bytes = 0;
    for (const [id, queued] of this.#queue.entries()) {
      if (batch.length >= this.#operations) break;
      await yieldToEventLoop();
      const sent = await this.#operationFor(queued);
      if (!this.#queue.isReady(id, queued)) continue;
      bytes += sent?.text.length ?? 0;
      if (batch.length > 0 && bytes > maxBytes) break;
      this.#queue.remove(id);
      if (sent) batch.push(sent);
    }
    if (batch.length === 0) return;
    const accepted = await this.#withIndexes(batch);
    const results = accepted.length > 0 && (await this.#request(accepted));
    if (!results) return;
    this.#operations = Math.min(this.#operations * 2, maxOperations);
    this.#settle(accepted, results);
  }

  /** Creates the indexes. Resolves with the operations whose index exists; those whose index is refused are sent later. */
  async #withIndexes(batch: readonly Sent[]): Promise<readonly Sent[]> {
    const refused = new Set<string>();
    for (const index of new Set(batch.map(({ queued }) => openSearchIndex(queued.source.kind))))
      try {
        await this.#ensureIndex(index);
      } catch (error) {
        if (!isOfIndex(error)) {
          this.#retryAll(batch);
          throw error;
        }
        refused.add(index);
        this.#failures.failed(error, { registry: this.#deps.registry, index });
      }
    const isAccepted = ({ queued }: Sent): boolean => !refused.has(openSearchIndex(queued.source.kind));
    const now = this.#deps.clock.now();
    for (const sent of batch) if (!isAccepted(sent)) this.#retryLater(sent, now);
    return batch.filter(isAccepted);
  }

  /** Sends operations. If the whole request fails, its objects are queued again. Resolves with undefined if it has to be divided. */
  async #request(batch: readonly Sent[]): Promise<readonly BulkResult[] | undefined> {
    try {
      return await this.#client.bulk(batch.map(({ text }) => text).join(''));
    } catch (error) {
      const [only] = batch;
      if (only && batch.length === 1 && isBadRequest(error)) {
        this.#refusals.add(only.queued, only.version, error);
        return undefined;
      }
      this.#retryAll(batch);
      if (!isBadRequest(error)) throw error;
      this.#operations = Math.max(1, Math.floor(batch.length / 2));
      return undefined;
    }
  }

  /** Returns the operation that makes the document equal to the object; undefined if it was refused, or cannot be made. */
  async #operationFor(queued: Queued): Promise<Sent | undefined> {
    const { source, key, uid } = queued;
    const present = key === '' ? undefined : source.get(key);
    const found = present?.uid === uid ? present : undefined;
    const version = found?.version ?? '';
    if (this.#refusals.has(idOf(queued), version)) return undefined;
    const index = { _index: openSearchIndex(source.kind), _id: uid };
    if (!found) return { queued, version, text: `${JSON.stringify({ delete: index })}\n` };
    try {
      const { object } = found;
      // Parsing a large object takes a considerable part of a turn, and so does its document.
      await yieldToEventLoop();
      return { queued, version, text: `${JSON.stringify({ index })}\n${documentOf(object)}\n` };
    } catch (error) {
      this.#refusals.add(queued, version, error);
      return undefined;
    }
  }

  /** Throws if the OpenSearch is overloaded, so that it gets a pause. */
  #settle(batch: readonly Sent[], results: readonly BulkResult[]): void {
    const now = this.#deps.clock.now();
    let failed: RequestError | undefined;
    let overloaded = 0;
    for (const [i, sent] of batch.entries()) {
      const { queued, version } = sent;
      const result = results[i] ?? { status: 0, error: 'the answer has no result' };
      const { status, error } = result;
      const isWithoutIndex = status === 404 && error.startsWith('index_not_found');
      if (isWithoutIndex) this.#lostIndex(openSearchIndex(queued.source.kind));
      if (isRefused(result)) this.#refusals.add(queued, version, new RequestError({ message: error }));
      else if (status > 0 && (status < 400 || (status === 404 && !isWithoutIndex))) this.#refusals.end(idOf(queued));
      else {
        this.#retryLater(sent, now);
        failed ??= new RequestError({ message: error || `status ${status}`, statusCode: status });
        if (status === 429) overloaded++;
      }
    }
    if (overloaded < batch.length) this.#pauseMs = minPauseMs;
    if (failed && overloaded > 0) throw failed;
    if (failed) this.#failures.failed(failed, { registry: this.#deps.registry });
    else if (this.#queue.waiting === 0) this.#failures.worked();
  }

  /** An index that was deleted has lost all documents, and its next mapping may accept what the former one refused. */
  #lostIndex(index: string): void {
    if (!this.#indexes.delete(index)) return;
    const isIn = (source: Source): boolean => openSearchIndex(source.kind) === index;
    this.#refusals.endWhere(isIn);
    for (const followed of this.#followed.values()) if (isIn(followed.source)) followed.isStale = true;
  }

  /** Queues objects again after the others; a later change of them may have been queued already. */
  #retryAll(batch: readonly Sent[]): void {
    for (const { queued } of batch)
      if (this.#isFollowed(queued) && !this.#queue.has(idOf(queued))) this.#queue.add(queued);
  }

  #retryLater({ queued }: Sent, now: number): void {
    if (this.#isFollowed(queued)) this.#queue.addLater(queued, now);
  }

  #isFollowed({ source }: Queued): boolean {
    return this.#followed.get(source.id)?.source === source;
  }
}
