import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type {
  Backend,
  BackendWatchOptions,
  Change,
  PrefixActivity,
  Item,
  Outcome,
  Page,
  PutOptions,
  RangeOptions,
  Revision,
} from '../interface.js';
import type { KeyChange } from '../event-log/history.js';
import type { Log } from '../log.js';
import { shareNext } from '../share-next.js';
import type { EtcdClient } from './client.js';
import { runCompactor } from './compactor.js';
import { createKeys } from './keys.js';
import { Leases } from './lease.js';
import { OwnWrites } from './own-writes.js';
import { EtcdPast } from './past.js';
import { EtcdReader } from './reader.js';
import { EtcdWatches } from './watches.js';
import { EtcdWriter } from './writer.js';

interface EtcdBackendOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly log: Log;
  /** `registryPrefix` and `trustProgress` are as in `EtcdOptions`. */
  readonly registryPrefix?: string;
  readonly trustProgress?: boolean;
}

const healthMs = 2000;
const sizeMs = 1000;

/** A store in an etcd cluster. It owns its client. */
export class EtcdBackend implements Backend {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #reader: EtcdReader;
  readonly #writer: EtcdWriter;
  readonly #watches: EtcdWatches;
  readonly #past: EtcdPast;
  readonly #ownWrites = new OwnWrites();
  readonly #closing = new AbortController();
  /** Asks etcd for the newest revision; concurrent callers share one request. */
  readonly #newest: () => Promise<Revision>;
  /** Settles when the compactor has ended. Undefined: it does not run. */
  #compacting: Promise<void> | undefined;

  constructor({ client, clock, log, registryPrefix, trustProgress = false }: EtcdBackendOptions) {
    const keys = createKeys(registryPrefix);
    const ownWrites = this.#ownWrites;
    const reader = new EtcdReader(client, keys);
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.#reader = reader;
    this.#writer = new EtcdWriter({ client, keys, leases: new Leases(client, clock), ownWrites });
    this.#watches = new EtcdWatches({ client, keys, clock, log, trustProgress, brokeOff: () => ownWrites.forget() });
    const newest = (): Promise<Revision> => reader.newest();
    this.#past = new EtcdPast({ client, keys, clock, newest, closed: this.#closing.signal });
    this.#newest = shareNext(newest);
  }

  get(key: string, options?: { readonly notBefore?: Revision }): Promise<Item<Uint8Array> | undefined> {
    return this.#reader.get(key, options);
  }

  range(prefix: string, options?: RangeOptions): Promise<Page<Uint8Array>> {
    return this.#reader.range(prefix, options);
  }

  put(key: string, expect: Revision | 'absent', value: Uint8Array, options?: PutOptions): Promise<Outcome<Uint8Array>> {
    return this.#writer.put(key, expect, value, options);
  }

  remove(key: string, expect: Revision): Promise<Outcome<Uint8Array>> {
    return this.#writer.remove(key, expect);
  }

  watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    how?: BackendWatchOptions,
  ): AsyncIterable<Change<Uint8Array>> {
    return this.#watches.watch(prefix, from, AbortSignal.any([signal, this.#closing.signal]), how);
  }

  revision(): Promise<Revision> {
    return this.#newest();
  }

  past(prefix: string, from: Revision, to: Revision): Promise<readonly KeyChange<Uint8Array>[]> {
    return this.#past.read(prefix, from, to);
  }

  happened(prefix: string, since: Revision, to: Revision): PrefixActivity {
    return this.#ownWrites.happened(prefix, since, to);
  }

  compare(
    prefix: string,
    since: Revision,
    count: number,
  ): Promise<{ readonly revision: Revision; readonly same: boolean }> {
    return this.#reader.compare(prefix, since, count);
  }

  requestProgress(prefix: string): boolean {
    return this.#watches.requestProgress(prefix);
  }

  async compact(upTo: Revision): Promise<void> {
    try {
      await this.#client.call('compact', { revision: upTo });
    } catch (error) {
      if (!(error instanceof StorageError && error.code === 'compacted')) throw error;
    }
  }

  /** Compacts, every so often, history that is older than the interval, until the store is closed. Called at most once. */
  compactEvery(intervalMs: number): void {
    this.#compacting = runCompactor(this.#client, this.#clock, this.#log, intervalMs, this.#closing.signal);
  }

  async size(): Promise<number> {
    const { response } = await this.#client.call('status', {}, sizeMs);
    return response.dbSize;
  }

  async health(): Promise<void> {
    await this.#reader.newest(undefined, healthMs);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#compacting;
    this.#client.close();
  }
}
