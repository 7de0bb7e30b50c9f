/** Finds the other servers of the same store: each server has a key there that expires when it is not renewed. */
// as pkg/controlplane/reconcilers/lease.go, with the same keys: Flagship and kube-apiserver find each other
import net from 'node:net';
import type { Backend } from '../storage/interface.js';

const folder = '/registry/masterleases/';
/** Longer than the interval of renewals, as upstream. */
const ttlSeconds = 15;
const maxAttempts = 5;

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

interface Reachable {
  /** Renews this server's key, and returns the sorted addresses of all servers. None for a server on a loopback address. */
  announce(): Promise<readonly string[]>;
  /** Deletes the key, so that others need not wait until it expires. */
  retire(): Promise<void>;
}

/** Creates the registration of a server. `host`: its address for clients. `shared`: other processes may serve the same store. */
export function reachable(backend: Backend, host: string, shared: boolean): Reachable {
  const isReachable = net.isIP(host) !== 0 && !isLoopback(host);
  if (!isReachable || !shared)
    return { announce: () => Promise.resolve(isReachable ? [host] : []), retire: () => Promise.resolve() };
  const key = folder + host;
  let renewals = 0;

  /** Returns a different value each time: a key that is written unchanged keeps its old expiry. */
  const lease = (): Buffer => {
    const metadata = { name: host, generation: ++renewals };
    const subsets = [{ addresses: [{ ip: host }] }];
    return Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets }));
  };

  async function renew(): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = await backend.get(key);
      const { type } = await backend.put(key, found?.revision ?? 'absent', lease(), { ttlSeconds });
      if (type === 'done') return;
    }
    throw new Error(`the key of ${host} changes all the time: another server has the same address`);
  }

  return {
    async announce() {
      await renew();
      const { items } = await backend.range(folder);
      return items.map(item => item.key.slice(folder.length)).sort();
    },
    async retire() {
      const found = await backend.get(key);
      if (found) await backend.remove(key, found.revision);
    },
  };
}
