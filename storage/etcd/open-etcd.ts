import { type Clock, systemClock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Backend, Item, Outcome, Page, RangeOptions, Revision } from '../interface.js';
import { type Log, silent } from '../log.js';
import { toRevision } from '../revision.js';
import { type EtcdConnectionOptions, LeaseGone, createClient } from './client.js';
import { runCompactor } from './compactor.js';
import { createKeys, rangeEnd } from './keys.js';
import { createLeases } from './lease.js';
import type { Header, RangeResponse, TxnResponse } from './messages.js';
import { shareNext } from '../share-next.js';
import { createOwnWrites } from './own-writes.js';
import { createPast } from './past.js';
import { first } from './stream.js';
import { createWatching } from './watch.js';

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

/** Bytes, roughly, of the parts in which an unlimited page is read. */
const targetPartBytes = 4 << 20;
const firstPartKeys = 500;
const maxPartKeys = 10_000;
const healthMs = 2000;
const sizeMs = 1000;

const revisionOf = (response: { readonly header: Header }): Revision => toRevision(response.header.revision);

/**
 * Opens a store in an etcd cluster, with the layout of kube-apiserver, so that either can read what the other wrote. Throws StorageError
 * 'unavailable' when no endpoint answers.
 */
export async function openEtcd(options: EtcdOptions): Promise<Backend> {
  const { log = silent, clock = systemClock, compactionIntervalMs = 5 * 60_000 } = options;
  const client = createClient(options, clock);
  const keys = createKeys(options.registryPrefix);
  const leases = createLeases(client, clock);
  const ownWrites = createOwnWrites();
  const { trustProgress = false } = options;
  const watching = createWatching({ client, keys, clock, log, trustProgress, brokeOff: ownWrites.forget });
  const closing = new AbortController();
  const past = createPast({ client, keys, clock, newest: () => newest(), closed: closing.signal });

  async function part(start: Buffer, end: Buffer, limit: number, at: number): Promise<RangeResponse> {
    const { response } = await client.call('range', { key: start, range_end: end, limit, revision: at });
    return response;
  }

  /** Reads all items from `start` on, part by part, at the revision of the first part. */
  async function all(start: Buffer, end: Buffer, at: number): Promise<Page<Uint8Array>> {
    const items: Item<Uint8Array>[] = [];
    let response = await part(start, end, firstPartKeys, at);
    const revision = at > 0 ? toRevision(at) : revisionOf(response);
    let bytes = 0;
    for (;;) {
      for (const kv of response.kvs) {
        items.push(keys.item(kv));
        bytes += kv.value.length + kv.key.length;
      }
      const last = response.kvs.at(-1);
      if (!response.more || last === undefined) return { items, revision, remaining: 0 };
      const fitting = Math.floor((targetPartBytes * items.length) / Math.max(bytes, 1));
      const limit = Math.min(Math.max(fitting, 1), maxPartKeys);
      response = await part(Buffer.concat([last.key, Buffer.from([0])]), end, limit, revision);
    }
  }

  async function range(
    prefix: string,
    { start, limit = 0, at, notBefore }: RangeOptions = {},
  ): Promise<Page<Uint8Array>> {
    const low = keys.encode(prefix);
    const first = start === undefined ? low : keys.encode(start);
    const from = Buffer.compare(first, low) > 0 ? first : low;
    const key = from.length === 0 ? Buffer.from([0]) : from;
    const end = rangeEnd(low);
    // The start is beyond the prefix; etcd would report an empty range as an error.
    if (end.length > 1 && Buffer.compare(key, end) >= 0)
      return { items: [], revision: at ?? (await newest(notBefore)), remaining: 0 };
    if (limit === 0) return reached(await all(key, end, at ?? 0), notBefore);
    const response = await part(key, end, limit, at ?? 0);
    const items = response.kvs.map(keys.item);
    const page = { items, revision: at ?? revisionOf(response), remaining: response.count - items.length };
    return reached(page, notBefore);
  }

  function reached<T extends { readonly revision: Revision }>(answer: T, notBefore: Revision | undefined): T {
    if (notBefore === undefined || answer.revision >= notBefore) return answer;
    throw new StorageError('future', `revision ${notBefore} is not reached yet`, { revision: answer.revision });
  }

  async function newest(notBefore?: Revision, deadlineMs?: number): Promise<Revision> {
    const { response } = await client.call('range', { key: keys.encode('/'), count_only: true }, deadlineMs);
    return reached({ revision: revisionOf(response) }, notBefore).revision;
  }

  /** Returns the current item as a conflict. Throws when an earlier attempt may have been what wrote it. */
  function conflictOf(response: TxnResponse, repeated: boolean, expect: number): Outcome<Uint8Array> {
    const { kv } = response;
    if (repeated) {
      const what = `a write over revision ${expect} was repeated after a failure; whether it was done is unknown`;
      throw new StorageError('unavailable', `etcd: ${what}`);
    }
    return { type: 'conflict', current: kv === undefined ? undefined : keys.item(kv) };
  }

  async function write(
    key: string,
    expect: number,
    value: Uint8Array,
    ttlSeconds: number | undefined,
  ): Promise<Outcome<Uint8Array>> {
    const encoded = keys.encode(key);
    const lease = ttlSeconds === undefined ? {} : { lease: await leases.get(ttlSeconds) };
    const { response, repeated } = await client.call('txn', {
      key: encoded,
      expect: { mod_revision: expect },
      success: { value, ...lease },
    });
    if (!response.succeeded) return conflictOf(response, repeated, expect);
    const revision = revisionOf(response);
    ownWrites.wrote(key, revision);
    return { type: 'done', item: { key, value, revision }, revision };
  }

  const backend: Backend = {
    async get(key, { notBefore } = {}) {
      const { response } = await client.call('range', { key: keys.encode(key) });
      reached({ revision: revisionOf(response) }, notBefore);
      const kv = response.kvs[0];
      return kv === undefined ? undefined : keys.item(kv);
    },
    range,
    async put(key, expect, value, { ttlSeconds } = {}) {
      const revision = expect === 'absent' ? 0 : expect;
      try {
        return await write(key, revision, value, ttlSeconds);
      } catch (error) {
        if (!(error instanceof LeaseGone) || ttlSeconds === undefined) throw error;
        leases.forget(ttlSeconds);
        return write(key, revision, value, ttlSeconds);
      }
    },
    async remove(key, expect) {
      const encoded = keys.encode(key);
      const { response, repeated } = await client.call('txn', {
        key: encoded,
        expect: { mod_revision: expect },
        success: 'remove',
      });
      if (!response.succeeded) return conflictOf(response, repeated, expect);
      const revision = revisionOf(response);
      const removed = response.kv;
      if (removed === undefined) return { type: 'conflict', current: undefined };
      ownWrites.wrote(key, revision);
      return { type: 'done', item: { key, value: removed.value, revision }, revision };
    },
    watch: (prefix, from, signal, how) => watching.watch(prefix, from, AbortSignal.any([signal, closing.signal]), how),
    revision: shareNext(() => newest()),
    past,
    happened: ownWrites.happened,
    async compare(prefix, since, count) {
      const low = keys.encode(prefix);
      const key = low.length === 0 ? first : low;
      const changed = { keys_only: true, min_mod_revision: since + 1, limit: 1 };
      const { response } = await client.call('range', { key, range_end: rangeEnd(low), ...changed });
      // Nothing is newer, and nothing is gone.
      return { revision: revisionOf(response), same: response.kvs.length === 0 && response.count === count };
    },
    requestProgress: prefix => watching.requestProgress(prefix),
    async compact(upTo) {
      try {
        await client.call('compact', { revision: upTo });
      } catch (error) {
        if (!(error instanceof StorageError && error.code === 'compacted')) throw error;
      }
    },
    async size() {
      const { response } = await client.call('status', {}, sizeMs);
      return response.dbSize;
    },
    async health() {
      await newest(undefined, healthMs);
    },
    async close() {
      closing.abort();
      await compacting;
      client.close();
    },
  };

  let compacting: Promise<void> | undefined;
  try {
    await newest();
  } catch (error) {
    client.close();
    throw error;
  }
  if (compactionIntervalMs > 0) compacting = runCompactor(client, clock, log, compactionIntervalMs, closing.signal);
  return backend;
}
