/** Who else serves the same store: each server has a key there that goes when it no longer renews it. */
// as pkg/controlplane/reconcilers/lease.go, whose keys they are: servers of both kinds find each other
import net from 'node:net';
import type { Backend } from '../storage/interface.js';

const folder = '/registry/masterleases/';
/** Longer than a look takes to come round, as upstream. */
const ttlSeconds = 15;
const attempts = 5;

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

export interface Reachable {
  /** Says that this server is there, and tells the addresses of all that are, sorted. None for a server that only its own machine reaches. */
  announce(): Promise<readonly string[]>;
  /** Others need not wait until its key expires. */
  retire(): Promise<void>;
}

/** `host`: where clients reach this server. `shared`: other processes may serve the same store. */
export function reachable(backend: Backend, host: string, shared: boolean): Reachable {
  const own = net.isIP(host) !== 0 && !isLoopback(host);
  if (!own || !shared) return { announce: () => Promise.resolve(own ? [host] : []), retire: () => Promise.resolve() };
  const key = folder + host;
  let renewals = 0;

  /** The value differs each time: a key that is written as it was keeps its old end. */
  const lease = (): Buffer => {
    const metadata = { name: host, generation: ++renewals };
    const subsets = [{ addresses: [{ ip: host }] }];
    return Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets }));
  };

  async function renew(): Promise<void> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
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
