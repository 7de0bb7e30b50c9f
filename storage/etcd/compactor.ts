import { FailureState } from '../../lib/logging/failure-state.js';
import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Log } from '../log.js';
import type { EtcdClient } from './client.js';

/** The key is shared by all API servers of one etcd, kube-apiserver included, so that one of them compacts and the others follow. */
const compactKey = Buffer.from('compact_rev_key');

interface Agreed {
  /** The version of the key that the next round expects. */
  readonly version: number;
  /** The revision that the next round may compact: the one of this round. */
  readonly revision: number;
}

/**
 * Runs one round. The server that first replaces the version of the key that all have seen last compacts, to the revision of the round before;
 * the others get the revision for their next attempt (as storage/etcd3/compact.go compact).
 */
export async function compactRound(client: EtcdClient, agreed: Agreed): Promise<Agreed & { compacted?: number }> {
  const { response } = await client.call('txn', {
    key: compactKey,
    expect: { version: agreed.version },
    success: { value: Buffer.from(String(agreed.revision)) },
  });
  const { revision } = response.header;
  if (!response.succeeded) return { version: response.kv?.version ?? 0, revision };
  const next = { version: agreed.version + 1, revision };
  if (agreed.revision === 0) return next;
  await client.call('compact', { revision: agreed.revision }).catch((error: unknown) => {
    // The request was repeated, or an operator compacted.
    if (!(error instanceof StorageError && error.code === 'compacted')) throw error;
  });
  return { ...next, compacted: agreed.revision };
}

/** Compacts, every `intervalMs`, the history that is older than `intervalMs`, until the signal aborts. */
export async function runCompactor(
  client: EtcdClient,
  clock: Clock,
  log: Log,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  let agreed: Agreed = { version: 0, revision: 0 };
  const uncompacted = new FailureState({
    ...{ log, now: () => clock.now(), graceMs: 0 },
    fails: 'etcd cannot be compacted; it is tried again every few minutes, and grows until then',
    works: 'etcd can be compacted again',
  });
  while (!signal.aborted) {
    await clock.sleep(intervalMs, signal);
    if (signal.aborted) return;
    try {
      const { compacted, ...next } = await compactRound(client, agreed);
      agreed = next;
      uncompacted.worked();
      if (compacted !== undefined) log.info({ revision: compacted }, 'etcd compacted');
    } catch (error) {
      uncompacted.failed(error);
    }
  }
}
