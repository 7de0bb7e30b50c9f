import { Trouble } from '../../lib/logging/trouble.js';
import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Log } from '../log.js';
import type { EtcdClient } from './client.js';

/** Shared by all apiservers of one etcd, real ones included, so that one of them compacts and the others follow. */
const compactKey = Buffer.from('compact_rev_key');

interface Agreed {
  /** The version of the key that the next round expects. */
  readonly version: number;
  /** What may be compacted in the next round: the revision of this one. */
  readonly revision: number;
}

/**
 * One round: whoever first replaces the version of the key that all have seen last compacts, to the revision of the round before; the others learn
 * from it when to try next (// as storage/etcd3/compact.go compact).
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
    // A repeated request, or somebody by hand.
    if (!(error instanceof StorageError && error.code === 'compacted')) throw error;
  });
  return { ...next, compacted: agreed.revision };
}

/** Forgets, every `intervalMs`, what is older than that, until the signal aborts. */
export async function runCompactor(
  client: EtcdClient,
  clock: Clock,
  log: Log,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  let agreed: Agreed = { version: 0, revision: 0 };
  const uncompacted = new Trouble({
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
