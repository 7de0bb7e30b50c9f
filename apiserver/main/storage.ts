import { openEmbedded } from '../../storage/embedded/open-embedded.js';
import type { Backend } from '../../storage/interface.js';
import type { StorageConfig } from './config.js';
import type { Logger } from './logger.js';

export interface OpenStorage {
  readonly backend: Backend;
  close(): Promise<void>;
}

export async function openStorage(config: StorageConfig, log: Logger): Promise<OpenStorage> {
  if (config.type === 'opened') return { backend: config.backend, close: () => Promise.resolve() };
  if (config.type === 'etcd') throw new Error('etcd storage is not there yet');
  const backend = await openEmbedded({ directory: config.directory, log });
  return { backend, close: () => backend.close() };
}
