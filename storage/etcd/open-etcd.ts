import { type Clock, systemClock } from '../../lib/clock.js';
import type { Backend } from '../interface.js';
import { type Log, silentLog } from '../log.js';
import { EtcdBackend } from './backend.js';
import { EtcdClient, type EtcdConnectionOptions } from './client.js';

export interface EtcdOptions extends EtcdConnectionOptions {
  /** Replaces `/registry` at the start of keys (`--etcd-prefix` of kube-apiserver). */
  readonly registryPrefix?: string;
  /** How long the history can be read and watched: 5 min by default, as under kube-apiserver. 0: another server compacts. */
  readonly compactionIntervalMs?: number;
  /** Trusts progress answers of every member although its version says otherwise (a patched build). */
  readonly trustProgress?: boolean;
  readonly log?: Log;
  readonly clock?: Clock;
}

/**
 * Opens a store in an etcd cluster, with the layout of kube-apiserver, so that either can read what the other wrote. Throws StorageError
 * 'unavailable' when no endpoint answers.
 */
export async function openEtcd(options: EtcdOptions): Promise<Backend> {
  const { log = silentLog, clock = systemClock, compactionIntervalMs = 5 * 60_000 } = options;
  const backend = new EtcdBackend({ ...options, client: new EtcdClient(options, clock), clock, log });
  try {
    await backend.revision();
  } catch (error) {
    await backend.close();
    throw error;
  }
  if (compactionIntervalMs > 0) backend.compactEvery(compactionIntervalMs);
  return backend;
}
