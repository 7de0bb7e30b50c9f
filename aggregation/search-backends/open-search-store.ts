/**
 * Keeps the documents of an OpenSearch like the objects of the mirrors. It queues keys, not objects: an object that changes while it waits is sent
 * once, in its latest state, and what could not be sent waits for the next attempt. When the queue is full, the objects of the source are compared
 * with its documents later.
 */
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';
import type { Clock } from '../../lib/clock.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { documentOf, openSearchIndex } from './document.js';
import type { OpenSearchSettings, Source } from './interface.js';
import { type BulkResult, OpenSearchClient, RequestError, type StoredDocument } from './open-search-client.js';

interface StoreDeps {
  readonly log: Logger;
  readonly clock: Clock;
  /** Names the store in the log. */
  readonly registry: string;
  /** Reports whether any registry selects a version of a kind in a cluster. Absent: only that of this store does. */
  readonly isSelected?: (owner: Pick<Source, 'cluster' | 'apiVersion' | 'kind'>) => boolean;
  /** Maximum number of queued objects; absent: 100,000. */
  readonly maxQueued?: number;
}

/** An object whose document may differ. */
interface Queued {
  readonly source: Source;
  readonly key: string;
  readonly uid: string;
}

interface Followed {
  readonly source: Source;
  readonly unsubscribe: () => void;
  /** Its objects and its documents are to be compared. */
  isStale: boolean;
}

/** Limits of a bulk request, in operations and bytes. */
const maxOperations = 500;
const maxBytes = 5 * 1024 * 1024;
const defaultMaxQueued = 100_000;
/** Pauses after failures in milliseconds; they double from the first to the last. */
const minPauseMs = 100;
const maxPauseMs = 30_000;

const idOf = ({ source, uid }: Queued): string => `${source.id} ${uid}`;

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

/** Whether the operation may succeed later. */
const isTransient = (status: number): boolean => status === 0 || status === 429 || status >= 500;

export class OpenSearchStore {
  readonly #client: OpenSearchClient;
  readonly #deps: StoreDeps;
  readonly #queue = new Map<string, Queued>();
  readonly #followed = new Map<string, Followed>();
  /** The indexes that exist. */
  readonly #indexes = new Set<string>();
  readonly #stop = new AbortController();
  readonly #failures: FailureState;
  readonly #refusals: FailureState;
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
    this.#refusals = new FailureState({
      ...{ log, now, graceMs: 0 },
      fails: 'an OpenSearch refuses objects; they are sent again when they change',
      works: 'an OpenSearch accepts objects again',
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
      for (const [queuedId, queued] of this.#queue) if (queued.source === source) this.#queue.delete(queuedId);
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
  }

  #begin(source: Source): void {
    const unsubscribe = source.onChange((key, uids) => {
      for (const uid of new Set(uids)) if (uid) this.#add({ source, key, uid });
    });
    this.#followed.set(source.id, { source, unsubscribe, isStale: false });
    void source.synced.then(() => this.#markStale(source));
  }

  #markStale(source: Source): void {
    const followed = this.#followed.get(source.id);
    if (followed?.source !== source) return;
    followed.isStale = true;
    this.#wake();
  }

  #add(queued: Queued): void {
    const id = idOf(queued);
    const { maxQueued = defaultMaxQueued } = this.#deps;
    if (this.#queue.size >= maxQueued && !this.#queue.has(id)) return this.#markStale(queued.source);
    this.#queue.set(id, queued);
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const stale = [...this.#followed.values()].find(({ isStale }) => isStale);
      try {
        if (this.#queue.size > 0) await this.#send();
        else if (stale) await this.#compare(stale);
        else await new Promise<void>(resolve => (this.#wake = resolve));
      } catch (error) {
        if (signal.aborted) return;
        await this.#pause(error);
      }
    }
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
    } catch (error) {
      for (const followed of known) followed.isStale = true;
      throw error;
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
    while (this.#queue.size >= maxOperations) {
      await this.#send();
      if (this.#stop.signal.aborted) return;
    }
    if (this.#followed.get(queued.source.id)?.source === queued.source) this.#queue.set(idOf(queued), queued);
  }

  async #ensureIndex(index: string): Promise<void> {
    if (this.#indexes.has(index)) return;
    await this.#client.createIndex(index);
    this.#indexes.add(index);
  }

  /** Takes the oldest objects from the queue, sends them, and queues again what may succeed later. Rejects if any may. */
  async #send(): Promise<void> {
    const batch: Queued[] = [];
    let lines = '';
    for (const [id, queued] of this.#queue) {
      if (batch.length >= this.#operations) break;
      await yieldToEventLoop();
      const operation = await this.#operationOf(queued);
      if (this.#queue.get(id) !== queued) continue;
      if (batch.length > 0 && lines.length + operation.length > maxBytes) break;
      this.#queue.delete(id);
      batch.push(queued);
      lines += operation;
    }
    if (batch.length === 0) return;
    this.#settle(batch, await this.#request(batch, lines));
    this.#failures.worked();
    this.#pauseMs = minPauseMs;
    this.#operations = Math.min(this.#operations * 2, maxOperations);
  }

  /** Sends operations. If the whole request fails, its objects are queued again. */
  async #request(batch: readonly Queued[], lines: string): Promise<readonly BulkResult[]> {
    try {
      for (const index of new Set(batch.map(({ source }) => openSearchIndex(source.kind))))
        await this.#ensureIndex(index);
      return await this.#client.bulk(lines);
    } catch (error) {
      if (error instanceof RequestError && error.status === 413) this.#tooLarge(batch);
      else for (const queued of batch) this.#retry(queued);
      throw error;
    }
  }

  /** Sends fewer objects at once; a single one that is too large is given up. */
  #tooLarge(batch: readonly Queued[]): void {
    this.#operations = Math.max(1, Math.floor(batch.length / 2));
    if (batch.length > 1) for (const queued of batch) this.#retry(queued);
  }

  async #operationOf({ source, key, uid }: Queued): Promise<string> {
    const index = { _index: openSearchIndex(source.kind), _id: uid };
    const found = key === '' ? undefined : source.get(key);
    if (found?.uid !== uid) return `${JSON.stringify({ delete: index })}\n`;
    const { object } = found;
    // Parsing a large object takes a considerable part of a turn, and so does its document.
    await yieldToEventLoop();
    return `${JSON.stringify({ index })}\n${documentOf(object)}\n`;
  }

  /** Rejects if objects are to be sent again, so that they are after a pause. */
  #settle(batch: readonly Queued[], results: readonly BulkResult[]): void {
    let failed: string | undefined;
    let refused: string | undefined;
    for (const [i, queued] of batch.entries()) {
      const { status, error } = results[i] ?? { status: 0, error: 'the answer has no result' };
      const isWithoutIndex = status === 404 && error.startsWith('index_not_found');
      if (isWithoutIndex) this.#indexes.delete(openSearchIndex(queued.source.kind));
      if (isTransient(status) || isWithoutIndex) {
        this.#retry(queued);
        failed ??= error || `status ${status}`;
      } else if (status >= 400 && status !== 404) refused ??= error;
    }
    const { registry } = this.#deps;
    if (refused !== undefined) this.#refusals.failed(new RequestError({ message: refused }), { registry });
    else if (failed === undefined) this.#refusals.worked();
    if (failed !== undefined) throw new RequestError({ message: failed, statusCode: 429 });
  }

  /** Queues an object again, before its present state is sent; a later change of it may have been queued already. */
  #retry(queued: Queued): void {
    if (this.#followed.get(queued.source.id)?.source === queued.source) this.#queue.set(idOf(queued), queued);
  }
}
