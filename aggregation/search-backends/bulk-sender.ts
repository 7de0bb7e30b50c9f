import type { Clock } from '../../lib/clock.js';
import type { FailureState } from '../../lib/logging/failure-state.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { documentOf, openSearchIndex } from './document.js';
import { isBadRequest, isOfIndex, isRefused } from './faults.js';
import type { KnownIndexes } from './known-indexes.js';
import { type BulkResult, type OpenSearchClient, RequestError } from './open-search-client.js';
import type { Refusals } from './refusals.js';
import { idOf, type Queued, type SendQueue } from './send-queue.js';

/** What a sender shares with the store that it belongs to. */
interface SenderParts {
  readonly client: Pick<OpenSearchClient, 'bulk'>;
  readonly clock: Clock;
  /** Names the store in the log. */
  readonly registry: string;
  readonly queue: SendQueue;
  readonly indexes: KnownIndexes;
  readonly refusals: Refusals;
  readonly failures: FailureState;
  /** Reports whether the source of an object is still wanted. */
  readonly isFollowed: (queued: Queued) => boolean;
  /** Called when an index is gone. */
  readonly lostIndex: (index: string) => void;
  /** Called when the OpenSearch has taken at least a part of a request. */
  readonly accepted: () => void;
}

/** An object of a bulk request. */
interface Sent {
  readonly queued: Queued;
  /** The version that was sent; '' for the deletion of a document. */
  readonly version: string;
  /** The operation as lines of JSON. */
  readonly text: string;
}

/** Limits of a bulk request, in operations and bytes. */
export const maxOperations = 500;
const maxBytes = 5 * 1024 * 1024;

/** Sends queued objects in bulk requests, whose size follows what the OpenSearch accepts. */
export class BulkSender {
  readonly #parts: SenderParts;
  /** Halved when a request was too large, down to one. */
  #operations = maxOperations;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Takes the oldest objects from the queue, sends them, and queues again what may succeed later. Rejects if the OpenSearch needs a pause. */
  async send(): Promise<void> {
    const { queue } = this.#parts;
    const batch: Sent[] = [];
    let bytes = 0;
    for (const [id, queued] of queue.entries()) {
      if (batch.length >= this.#operations) break;
      await yieldToEventLoop();
      const sent = await this.#operationFor(queued);
      if (!queue.isReady(id, queued)) continue;
      bytes += sent?.text.length ?? 0;
      if (batch.length > 0 && bytes > maxBytes) break;
      queue.remove(id);
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
    const { indexes, failures, registry } = this.#parts;
    const refused = new Set<string>();
    for (const index of new Set(batch.map(({ queued }) => openSearchIndex(queued.source.kind))))
      try {
        await indexes.ensure(index);
      } catch (error) {
        if (!isOfIndex(error)) {
          this.#retryAll(batch);
          throw error;
        }
        refused.add(index);
        failures.failed(error, { registry, index });
      }
    const isAccepted = ({ queued }: Sent): boolean => !refused.has(openSearchIndex(queued.source.kind));
    const now = this.#parts.clock.now();
    for (const sent of batch) if (!isAccepted(sent)) this.#retryLater(sent, now);
    return batch.filter(isAccepted);
  }

  /** Sends operations. If the whole request fails, its objects are queued again. Resolves with undefined if it has to be divided. */
  async #request(batch: readonly Sent[]): Promise<readonly BulkResult[] | undefined> {
    try {
      return await this.#parts.client.bulk(batch.map(({ text }) => text).join(''));
    } catch (error) {
      const [only] = batch;
      if (only && batch.length === 1 && isBadRequest(error)) {
        this.#parts.refusals.add(only.queued, only.version, error);
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
    if (this.#parts.refusals.has(idOf(queued), version)) return undefined;
    const index = { _index: openSearchIndex(source.kind), _id: uid };
    if (!found) return { queued, version, text: `${JSON.stringify({ delete: index })}\n` };
    try {
      const { object } = found;
      // Parsing a large object takes a considerable part of a turn, and so does its document.
      await yieldToEventLoop();
      return { queued, version, text: `${JSON.stringify({ index })}\n${documentOf(object)}\n` };
    } catch (error) {
      this.#parts.refusals.add(queued, version, error);
      return undefined;
    }
  }

  /** Throws if the OpenSearch is overloaded, so that it gets a pause. */
  #settle(batch: readonly Sent[], results: readonly BulkResult[]): void {
    const { clock, registry, queue, failures, refusals, lostIndex, accepted } = this.#parts;
    const now = clock.now();
    let failed: RequestError | undefined;
    let overloaded = 0;
    for (const [i, sent] of batch.entries()) {
      const { queued, version } = sent;
      const result = results[i] ?? { status: 0, error: 'the answer has no result' };
      const { status, error } = result;
      const isWithoutIndex = status === 404 && error.startsWith('index_not_found');
      if (isWithoutIndex) lostIndex(openSearchIndex(queued.source.kind));
      if (isRefused(result)) refusals.add(queued, version, new RequestError({ message: error }));
      else if (status > 0 && (status < 400 || (status === 404 && !isWithoutIndex))) refusals.end(idOf(queued));
      else {
        this.#retryLater(sent, now);
        failed ??= new RequestError({ message: error || `status ${status}`, statusCode: status });
        if (status === 429) overloaded++;
      }
    }
    if (overloaded < batch.length) accepted();
    if (failed && overloaded > 0) throw failed;
    if (failed) failures.failed(failed, { registry });
    else if (queue.waiting === 0) failures.worked();
  }

  /** Queues objects again after the others; a later change of them may have been queued already. */
  #retryAll(batch: readonly Sent[]): void {
    const { queue, isFollowed } = this.#parts;
    for (const { queued } of batch) if (isFollowed(queued) && !queue.has(idOf(queued))) queue.add(queued);
  }

  #retryLater({ queued }: Sent, now: number): void {
    const { queue, isFollowed } = this.#parts;
    if (isFollowed(queued)) queue.addLater(queued, now);
  }
}
