import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';
import type { EtcdClient } from './client.js';
import type { Keys } from './keys.js';
import type { EtcdEvent } from './messages.js';
import { changesOf, first, responses } from './stream.js';

interface ReadChanges {
  readonly changes: readonly KeyChange<Uint8Array>[];
  readonly bytes: number;
}

/** Milliseconds within which etcd has to send the requested part of the history. */
const timeoutMs = 10_000;

/** Returns the error for changes that are not available; `why`: a verb phrase. */
export const unavailableHistory = (from: Revision, to: Revision, why: string): StorageError =>
  new StorageError('compacted', `changes after revision ${from} up to ${to} ${why}`, { revision: to });

/** Returns whether an event is complete. etcd looks up the previous item when it sends an event, and it may be compacted meanwhile. */
const isWhole = ({ type, kv, prev_kv: previous }: EtcdEvent): boolean =>
  previous !== undefined || (type === 'Put' && kv.version === 1);

const bytesOf = (change: KeyChange<Uint8Array>): number =>
  256 + (change.type === 'put' ? change.item.value.length : 0) + (change.previous?.value.length ?? 0);

/**
 * Reads the changes between two revisions with a watch. A watch of a prefix does not report that it has delivered everything: it is silent where
 * nothing happens, and old versions of etcd answer progress requests too early. But every revision changes some key, so all keys are watched until
 * the last revision has come.
 */
export class HistoryReader {
  readonly #client: EtcdClient;
  readonly #keys: Keys;
  readonly #closed: AbortSignal;

  constructor(client: EtcdClient, keys: Keys, closed: AbortSignal) {
    this.#client = client;
    this.#keys = keys;
    this.#closed = closed;
  }

  /** Reads the changes after `from` up to `to`, with at most so many bytes. Throws StorageError, and CallError when the stream broke off. */
  async read(from: Revision, to: Revision, limit: number): Promise<ReadChanges> {
    const changes: KeyChange<Uint8Array>[] = [];
    let bytes = 0;
    let reached: number = from;
    if (reached >= to) return { changes, bytes };
    const late = AbortSignal.timeout(timeoutMs);
    const range = { key: first, end: first };
    const signal = AbortSignal.any([this.#closed, late]);
    for await (const { events } of responses({ client: this.#client, range, start: from + 1, signal })) {
      const ours: EtcdEvent[] = [];
      for (const event of events) {
        const revision = event.kv.mod_revision;
        if (revision > reached + 1) throw unavailableHistory(from, to, 'are forgotten in part');
        reached = revision;
        if (revision > to || !this.#isOurs(event)) continue;
        if (!isWhole(event)) throw unavailableHistory(from, to, 'are forgotten in part');
        ours.push(event);
      }
      for (const change of changesOf(ours, this.#keys)) {
        changes.push(change);
        bytes += bytesOf(change);
      }
      if (bytes > limit) throw unavailableHistory(from, to, 'are too many');
      if (reached >= to) return { changes, bytes };
    }
    throw new StorageError('unavailable', late.aborted ? 'etcd does not tell its history' : 'the store is closed');
  }

  /** Returns whether the key is in this store: other servers may share the etcd. */
  #isOurs({ kv }: EtcdEvent): boolean {
    return this.#keys.encode(this.#keys.decode(kv.key)).equals(kv.key);
  }
}
