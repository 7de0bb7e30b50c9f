import type { Clock } from '../../lib/clock.js';
import type { EtcdClient } from './client.js';

export interface Leases {
  /** A lease that lives at least so many seconds from now. */
  get(ttlSeconds: number): Promise<bigint>;
  /** The lease turned out to be gone. */
  forget(ttlSeconds: number): void;
}

interface Shared {
  readonly id: Promise<bigint>;
  /** It lives at least until then. */
  readonly until: number;
  keys: number;
}

/** As kube-apiserver (storage/etcd3/lease_manager.go): one lease for the writes of a minute, at most 5 % of its life, and 1000 keys. */
const shareSeconds = 60;
const sharePart = 0.05;
const maxKeys = 1000;

/** etcd deletes all keys of a lease in one step; leases cost more than keys, so neighbours in time share one. */
export function createLeases(client: EtcdClient, clock: Clock): Leases {
  const shared = new Map<number, Shared>();

  async function grant(ttl: number): Promise<bigint> {
    const { response } = await client.call('leaseGrant', { TTL: ttl });
    return response.ID;
  }

  return {
    async get(ttlSeconds) {
      const now = clock.now();
      const found = shared.get(ttlSeconds);
      if (found !== undefined && found.keys < maxKeys && now + ttlSeconds * 1000 <= found.until) {
        found.keys++;
        return found.id;
      }
      const ttl = Math.ceil(ttlSeconds) + Math.floor(Math.min(shareSeconds, ttlSeconds * sharePart));
      const lease: Shared = { id: grant(ttl), until: now + ttl * 1000, keys: 1 };
      shared.set(ttlSeconds, lease);
      // The caller is told; the next one asks for another.
      lease.id.catch(() => {
        if (shared.get(ttlSeconds) === lease) shared.delete(ttlSeconds);
      });
      return lease.id;
    },
    forget(ttlSeconds) {
      shared.delete(ttlSeconds);
    },
  };
}
