import { StorageError } from '../error.js';
import type { Outcome, PutOptions, Revision } from '../interface.js';
import { type EtcdClient, LeaseGone } from './client.js';
import type { Keys } from './keys.js';
import type { Leases } from './lease.js';
import type { TxnResponse } from './messages.js';
import type { OwnWrites } from './own-writes.js';
import { revisionOf } from './reader.js';

interface EtcdWriterOptions {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly leases: Leases;
  readonly ownWrites: OwnWrites;
}

/** Writes keys of an etcd. Its methods are those of a Backend. */
export class EtcdWriter {
  readonly #client: EtcdClient;
  readonly #keys: Keys;
  readonly #leases: Leases;
  readonly #ownWrites: OwnWrites;

  constructor({ client, keys, leases, ownWrites }: EtcdWriterOptions) {
    this.#client = client;
    this.#keys = keys;
    this.#leases = leases;
    this.#ownWrites = ownWrites;
  }

  async put(
    key: string,
    expect: Revision | 'absent',
    value: Uint8Array,
    { ttlSeconds }: PutOptions = {},
  ): Promise<Outcome<Uint8Array>> {
    const revision = expect === 'absent' ? 0 : expect;
    try {
      return await this.#write(key, revision, value, ttlSeconds);
    } catch (error) {
      if (!(error instanceof LeaseGone) || ttlSeconds === undefined) throw error;
      this.#leases.forget(ttlSeconds);
      return this.#write(key, revision, value, ttlSeconds);
    }
  }

  async remove(key: string, expect: Revision): Promise<Outcome<Uint8Array>> {
    const { response, repeated } = await this.#client.call('txn', {
      key: this.#keys.encode(key),
      expect: { mod_revision: expect },
      success: 'remove',
    });
    if (!response.succeeded) return this.#conflictOf(response, repeated, expect);
    const revision = revisionOf(response);
    const removed = response.kv;
    if (removed === undefined) return { type: 'conflict', current: undefined };
    this.#ownWrites.wrote(key, revision);
    return { type: 'done', item: { key, value: removed.value, revision }, revision };
  }

  async #write(
    key: string,
    expect: number,
    value: Uint8Array,
    ttlSeconds: number | undefined,
  ): Promise<Outcome<Uint8Array>> {
    const encoded = this.#keys.encode(key);
    const lease = ttlSeconds === undefined ? {} : { lease: await this.#leases.get(ttlSeconds) };
    const { response, repeated } = await this.#client.call('txn', {
      key: encoded,
      expect: { mod_revision: expect },
      success: { value, ...lease },
    });
    if (!response.succeeded) return this.#conflictOf(response, repeated, expect);
    const revision = revisionOf(response);
    this.#ownWrites.wrote(key, revision);
    return { type: 'done', item: { key, value, revision }, revision };
  }

  /** Returns the current item as a conflict. Throws when an earlier attempt may have been what wrote it. */
  #conflictOf(response: TxnResponse, repeated: boolean, expect: number): Outcome<Uint8Array> {
    const { kv } = response;
    if (repeated) {
      const what = `a write over revision ${expect} was repeated after a failure; whether it was done is unknown`;
      throw new StorageError('unavailable', `etcd: ${what}`);
    }
    return { type: 'conflict', current: kv === undefined ? undefined : this.#keys.item(kv) };
  }
}
