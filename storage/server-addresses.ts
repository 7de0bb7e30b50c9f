/** Finds the other servers of the same store: each server has a key there that expires when it is not renewed. */
// as pkg/controlplane/reconcilers/lease.go, with the same keys: Flagship and kube-apiserver find each other
import { isLoopbackHost } from '../lib/loopback-host.js';
import net from 'node:net';
import type { Backend } from './interface.js';

const folder = '/registry/masterleases/';
/** Longer than the interval of renewals, as upstream. */
const ttlSeconds = 15;
const maxAttempts = 5;

interface ServerAddressesOptions {
  /** The address of this server for clients. */
  readonly host: string;
  /** Other processes may serve the same store. */
  readonly shared: boolean;
}

/** The addresses of the servers of one store, and the key of this server among them. A server on a loopback address, or on a name, has none. */
export class ServerAddresses {
  readonly #backend: Backend;
  readonly #host: string;
  readonly #isReachable: boolean;
  readonly #isShared: boolean;
  #renewals = 0;

  constructor(backend: Backend, { host, shared }: ServerAddressesOptions) {
    this.#backend = backend;
    this.#host = host;
    this.#isReachable = net.isIP(host) !== 0 && !isLoopbackHost(host);
    this.#isShared = shared;
  }

  /** Renews this server's key, and returns the sorted addresses of all servers. None for a server on a loopback address. */
  async announce(): Promise<readonly string[]> {
    if (!this.#isReachable) return [];
    if (!this.#isShared) return [this.#host];
    await this.#renew();
    const { items } = await this.#backend.range(folder);
    return items.map(item => item.key.slice(folder.length)).sort();
  }

  /** Deletes the key, so that others need not wait until it expires. */
  async retire(): Promise<void> {
    if (!this.#isReachable || !this.#isShared) return;
    const found = await this.#backend.get(this.#key);
    if (found) await this.#backend.remove(this.#key, found.revision);
  }

  get #key(): string {
    return folder + this.#host;
  }

  async #renew(): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const found = await this.#backend.get(this.#key);
      const { type } = await this.#backend.put(this.#key, found?.revision ?? 'absent', this.#lease(), { ttlSeconds });
      if (type === 'done') return;
    }
    throw new Error(`the key of ${this.#host} changes all the time: another server has the same address`);
  }

  /** Returns a different value each time: a key that is written unchanged keeps its old expiry. */
  #lease(): Buffer {
    const metadata = { name: this.#host, generation: ++this.#renewals };
    const subsets = [{ addresses: [{ ip: this.#host }] }];
    return Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets }));
  }
}
