import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';
import { changedKey } from '../event-log/changed-key.js';
import type { EtcdClient } from './client.js';
import { failureOf } from './errors.js';
import type { CallError } from './grpc/call-error.js';
import { HistoryReader, unavailableHistory } from './history-reader.js';
import type { Keys } from './keys.js';

interface EtcdPastOptions {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly clock: Clock;
  /** The newest revision. */
  readonly newest: () => Promise<Revision>;
  readonly closed: AbortSignal;
  /** Bytes of history that are kept, at most, for the next callers: 64 MiB by default. */
  readonly maxBytes?: number;
}

/** All changes of keys of this store after `floor`, up to `head`. */
interface Stretch {
  readonly floor: Revision;
  readonly head: Revision;
  readonly changes: readonly KeyChange<Uint8Array>[];
  readonly bytes: number;
}

interface Known extends Stretch {
  /** The changes below a prefix, for requested prefixes. */
  readonly below: Map<string, readonly KeyChange<Uint8Array>[]>;
}

/** Milliseconds for which the history is kept: after a restart all clients come back within moments. */
const keptMs = 30_000;
/** Milliseconds for which a read is tried again after the stream broke off. */
const timeoutMs = 10_000;
const retryMs = 100;

/** A user of etcd may have access to the keys of the prefix only. */
const deniedAll = /permission denied/;

/**
 * The history of an etcd, for watches that resume after a restart. The result of a read is kept for a while, since clients come back together: the
 * history is read once for all of them, and for all resources.
 */
export class EtcdPast {
  readonly #reader: HistoryReader;
  readonly #clock: Clock;
  readonly #newest: () => Promise<Revision>;
  readonly #closed: AbortSignal;
  readonly #maxBytes: number;
  #known: Known | undefined;
  /** The revision from which the history was last found to be gone, with its error. */
  #lost: { readonly from: Revision; readonly error: StorageError } | undefined;
  /** When the last read ended, in milliseconds since the epoch. */
  #usedAt = 0;
  /** True while `#forgetLater` runs. */
  #isForgetting = false;
  /** Reads run one after the other: the next one uses what the previous one has read. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ client, keys, clock, newest, closed, maxBytes = 64 << 20 }: EtcdPastOptions) {
    this.#reader = new HistoryReader(client, keys, closed);
    this.#clock = clock;
    this.#newest = newest;
    this.#closed = closed;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the changes below the prefix after `from` up to and including `to`. Throws 'compacted' when etcd has compacted them, or when they are
   * too many.
   */
  async read(prefix: string, from: Revision, to: Revision): Promise<readonly KeyChange<Uint8Array>[]> {
    const mine = this.#turn.then(() => this.#knownFor(from, to));
    this.#turn = mine.catch(() => undefined); // the caller gets the error below; the next one reads by itself
    const { changes, below } = await mine;
    const all = below.get(prefix) ?? changes.filter(change => changedKey(change).startsWith(prefix));
    below.set(prefix, all);
    return all.filter(({ revision }) => revision > from && revision <= to);
  }

  async #knownFor(from: Revision, to: Revision): Promise<Known> {
    if (this.#lost !== undefined && from <= this.#lost.from) throw this.#lost.error;
    const until = this.#clock.now() + timeoutMs;
    try {
      for (;;) {
        try {
          return await this.#reach(from, to);
        } catch (error) {
          const end = this.#fatal(error, from, to);
          if (end !== undefined) throw end;
          if (this.#clock.now() >= until)
            throw new StorageError('unavailable', 'the etcd watch broke off', { cause: error });
          await this.#clock.sleep(retryMs, this.#closed);
        }
      }
    } finally {
      this.#usedAt = this.#clock.now();
      void this.#forgetLater();
    }
  }

  /** Extends what is known so that it covers both revisions. */
  async #reach(from: Revision, to: Revision): Promise<Known> {
    const known = this.#known;
    if (known !== undefined && from >= known.floor && to <= known.head) return known;
    const held = await this.#current(to);
    const { floor } = held;
    const { changes, bytes } = await this.#reader.read(from, floor, this.#maxBytes - held.bytes);
    const all = { changes: [...changes, ...held.changes], bytes: held.bytes + bytes, below: new Map<string, []>() };
    return (this.#known = { ...all, floor: from < floor ? from : floor, head: held.head });
  }

  /** Returns the known history, extended to `to`. */
  async #current(to: Revision): Promise<Stretch> {
    const known = this.#known;
    if (known !== undefined && to <= known.head) return known;
    try {
      if (known !== undefined) return await this.#upToNow(known);
    } catch (error) {
      // The changes since are compacted or too many: then those before are of no use.
      if (!(error instanceof StorageError && error.code === 'compacted')) throw error;
      this.#known = undefined;
    }
    return this.#upToNow({ floor: to, head: to, changes: [], bytes: 0 });
  }

  async #upToNow(held: Stretch): Promise<Stretch> {
    const head = await this.#newest();
    const { changes, bytes } = await this.#reader.read(held.head, head, this.#maxBytes - held.bytes);
    return { floor: held.floor, head, changes: [...held.changes, ...changes], bytes: held.bytes + bytes };
  }

  /** Returns the error that ends the read; undefined: the stream broke off, and another one is worth an attempt. */
  #fatal(error: unknown, from: Revision, to: Revision): StorageError | undefined {
    const failure = error instanceof StorageError ? undefined : failureOf(error as CallError);
    const end = failure === undefined ? (error as StorageError) : failure.type === 'final' ? failure.error : undefined;
    const forgotten =
      end !== undefined && deniedAll.test(end.message) ? unavailableHistory(from, to, end.message) : end;
    if (forgotten?.code === 'compacted') this.#lost = { from, error: forgotten };
    return forgotten;
  }

  /** Drops the history when it was not used for a while. */
  async #forgetLater(): Promise<void> {
    if (this.#isForgetting) return;
    this.#isForgetting = true;
    while ((this.#known ?? this.#lost) !== undefined && !this.#closed.aborted) {
      await this.#clock.sleep(keptMs, this.#closed);
      if (this.#clock.now() - this.#usedAt >= keptMs) this.#known = this.#lost = undefined;
    }
    this.#isForgetting = false;
  }
}
