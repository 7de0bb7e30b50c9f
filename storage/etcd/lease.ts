import type { Clock } from '../../lib/clock.js';
import type { EtcdClient } from './client.js';

interface Shared {
  readonly id: Promise<bigint>;
  /** Milliseconds since the epoch until which the lease lives at least. */
  readonly until: number;
  keys: number;
}

/**
 * One lease is shared by the writes of a minute, at most 5 % of its life, and 1000 keys, as in kube-apiserver (storage/etcd3/lease_manager.go).
 */
const shareSeconds = 60;
const shareFraction = 0.05;
const maxKeys = 1000;

/** Leases that neighbouring writes share: leases cost more than keys. etcd deletes all keys of a lease in one step. */
export class Leases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  /** The newest lease by the requested seconds. */
  readonly #shared = new Map<number, Shared>();

  constructor(client: EtcdClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns a lease that lives at least so many seconds from now. */
  async get(ttlSeconds: number): Promise<bigint> {
    const now = this.#clock.now();
    const found = this.#shared.get(ttlSeconds);
    if (found !== undefined && found.keys < maxKeys && now + ttlSeconds * 1000 <= found.until) {
      found.keys++;
      return found.id;
    }
    const ttl = Math.ceil(ttlSeconds) + Math.floor(Math.min(shareSeconds, ttlSeconds * shareFraction));
    const lease: Shared = { id: this.#grant(ttl), until: now + ttl * 1000, keys: 1 };
    this.#shared.set(ttlSeconds, lease);
    // The caller gets the error; the next call requests another lease.
    lease.id.catch(() => {
      if (this.#shared.get(ttlSeconds) === lease) this.#shared.delete(ttlSeconds);
    });
    return lease.id;
  }

  /** Reports that the lease turned out to be gone. */
  forget(ttlSeconds: number): void {
    this.#shared.delete(ttlSeconds);
  }

  async #grant(ttl: number): Promise<bigint> {
    const { response } = await this.#client.call('leaseGrant', { TTL: ttl });
    return response.ID;
  }
}
