/** Several processes of one control plane on one etcd. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'tap';
import { startEtcd } from '../storage/etcd-server.js';
import { temporaryFolder } from '../storage/folder.js';
import { until } from '../storage/until.js';
import { up, type Up } from './process.js';

interface Replicas {
  readonly start: (name: string) => Promise<Up>;
  readonly folder: string;
}

/** Starts processes with their own folders and the same keys. */
export async function replicas(t: Test, ...args: readonly string[]): Promise<Replicas> {
  const folder = await temporaryFolder(t);
  const etcd = await startEtcd(t);
  let keys: string | undefined;
  return {
    folder,
    async start(name) {
      const directory = path.join(folder, name);
      if (keys !== undefined) {
        // The first process makes the key of tokens while it serves already.
        const tokenKey = path.join(keys, 'sa.key');
        await until('all keys', () =>
          fs.access(tokenKey).then(
            () => true,
            () => false,
          ),
        );
        await fs.cp(keys, path.join(directory, 'pki'), { recursive: true });
      }
      const started = await up(t, directory, `--etcd-servers=${etcd.endpoint}`, ...args);
      keys ??= path.join(directory, 'pki');
      return started;
    },
  };
}
