import { openEmbedded } from '../storage/embedded/open-embedded.js';
import type { Backend } from '../storage/interface.js';
import type { StorageConfig } from './config.js';
import type { AdjustableLogger } from './logger.js';

interface OpenStorage {
  readonly backend: Backend;
  readonly close: () => Promise<void>;
}

const opened = (backend: Backend): OpenStorage => ({ backend, close: () => backend.close() });

/** Opens the configured storage. Throws StorageError, or the system's error when a folder or file cannot be used. */
export async function openStorage(config: StorageConfig, log: AdjustableLogger): Promise<OpenStorage> {
  if (config.type === 'opened') return { backend: config.backend, close: () => Promise.resolve() };
  if (config.type === 'embedded') return opened(await openEmbedded({ directory: config.directory, log }));
  // The etcd client is loaded only when it is used.
  const { openEtcd } = await import('../storage/etcd/open-etcd.js');
  return opened(await openEtcd({ ...config.etcd, log }));
}
