import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';
import { keyOf } from '../event-log/key-of.js';
import type { EtcdClient } from './client.js';
import { failureOf } from './errors.js';
import type { CallError } from './grpc/call-error.js';
import type { Keys } from './keys.js';
import type { Event } from './messages.js';
import { changesOf, first, responses } from './stream.js';

export interface PastOptions {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly clock: Clock;
  /** The newest revision. */
  readonly newest: () => Promise<Revision>;
  readonly closed: AbortSignal;
  /** Bytes of history that are kept, at most, for the next callers: 64 MiB by default. */
  readonly maxBytes?: number;
}

/**
 * Returns the changes below the prefix after `from` up to and including `to`. Throws 'compacted' when etcd has compacted them, or when they are
 * too many.
 */
export type Past = (prefix: string, from: Revision, to: Revision) => Promise<readonly KeyChange<Uint8Array>[]>;

/** All changes of keys of this store after `floor`, up to `head`. */
interface Known {
  readonly floor: Revision;
  readonly head: Revision;
  readonly changes: readonly KeyChange<Uint8Array>[];
  readonly bytes: number;
  /** The changes below a prefix, for requested prefixes. */
  readonly below: Map<string, readonly KeyChange<Uint8Array>[]>;
}

interface Read {
  readonly changes: readonly KeyChange<Uint8Array>[];
  readonly bytes: number;
}

/** Milliseconds for which the history is kept: after a restart all clients come back within moments. */
const keptMs = 30_000;
/** Milliseconds within which etcd has to send a part of the history. */
const timeoutMs = 10_000;
const retryMs = 100;

/** Returns whether an event is complete. etcd looks up the previous item when it sends an event, and it may be compacted meanwhile. */
const isWhole = ({ type, kv, prev_kv: previous }: Event): boolean =>
  previous !== undefined || (type === 'Put' && kv.version === 1);

const bytesOf = (change: KeyChange<Uint8Array>): number =>
  256 + (change.type === 'put' ? change.item.value.length : 0) + (change.previous?.value.length ?? 0);

/**
 * Reads etcd's history for watches that resume after a restart. A watch of a prefix does not report that it has delivered everything: it is
 * silent where nothing happens, and old versions of etcd answer progress requests too early. But every revision changes some key, so all keys
 * are watched until the last revision has come. The result is kept for a while, since clients come back together: the history is read once for
 * all of them, and for all resources.
 */
export function createPast({ client, keys, clock, newest, closed, maxBytes = 64 << 20 }: PastOptions): Past {
  let known: Known | undefined;
  /** The revision from which the history was last found to be gone, with its error. */
  let lost: { readonly from: Revision; readonly error: StorageError } | undefined;
  let usedAt = 0;
  let forgetting = false;
  /** Reads run one after the other: the next one uses what the previous one has read. */
  let turn: Promise<unknown> = Promise.resolve();

  /** Returns whether the key is in this store: other servers may share the etcd. */
  const isOurs = ({ kv }: Event): boolean => keys.encode(keys.decode(kv.key)).equals(kv.key);

  async function forgetLater(): Promise<void> {
    if (forgetting) return;
    forgetting = true;
    while ((known ?? lost) !== undefined && !closed.aborted) {
      await clock.sleep(keptMs, closed);
      if (clock.now() - usedAt >= keptMs) known = lost = undefined;
    }
    forgetting = false;
  }

  /** Reads the changes after `from` up to `to`, with at most so many bytes. */
  async function read(from: Revision, to: Revision, limit: number): Promise<Read> {
    const changes: KeyChange<Uint8Array>[] = [];
    let bytes = 0;
    let reached: number = from;
    if (reached >= to) return { changes, bytes };
    const late = AbortSignal.timeout(timeoutMs);
    const range = { key: first, end: first };
    const signal = AbortSignal.any([closed, late]);
    for await (const { events } of responses({ client, range, start: from + 1, signal })) {
      const ours: Event[] = [];
      for (const event of events) {
        const revision = event.kv.mod_revision;
        if (revision > reached + 1) throw gone(from, to, 'are forgotten in part');
        reached = revision;
        if (revision > to || !isOurs(event)) continue;
        if (!isWhole(event)) throw gone(from, to, 'are forgotten in part');
        ours.push(event);
      }
      for (const change of changesOf(ours, keys)) {
        changes.push(change);
        bytes += bytesOf(change);
      }
      if (bytes > limit) throw gone(from, to, 'are too many');
      if (reached >= to) return { changes, bytes };
    }
    throw new StorageError('unavailable', late.aborted ? 'etcd does not tell its history' : 'the store is closed');
  }

  async function upToNow(held: Omit<Known, 'below'>): Promise<Omit<Known, 'below'>> {
    const head = await newest();
    const { changes, bytes } = await read(held.head, head, maxBytes - held.bytes);
    return { floor: held.floor, head, changes: [...held.changes, ...changes], bytes: held.bytes + bytes };
  }

  /** Returns the known history, extended to `to`. */
  async function current(to: Revision): Promise<Omit<Known, 'below'>> {
    if (known !== undefined && to <= known.head) return known;
    try {
      if (known !== undefined) return await upToNow(known);
    } catch (error) {
      // The changes since are compacted or too many: then those before are of no use.
      if (!(error instanceof StorageError && error.code === 'compacted')) throw error;
      known = undefined;
    }
    return upToNow({ floor: to, head: to, changes: [], bytes: 0 });
  }

  /** Extends `known` so that it covers both revisions. */
  async function reach(from: Revision, to: Revision): Promise<Known> {
    if (known !== undefined && from >= known.floor && to <= known.head) return known;
    const held = await current(to);
    const { floor } = held;
    const { changes, bytes } = await read(from, floor, maxBytes - held.bytes);
    const all = { changes: [...changes, ...held.changes], bytes: held.bytes + bytes, below: new Map<string, []>() };
    return (known = { ...all, floor: from < floor ? from : floor, head: held.head });
  }

  /** Returns the error that ends the read; undefined: the stream broke off, and another one is worth an attempt. */
  function fatal(error: unknown, from: Revision, to: Revision): StorageError | undefined {
    const failure = error instanceof StorageError ? undefined : failureOf(error as CallError);
    const end = failure === undefined ? (error as StorageError) : failure.type === 'final' ? failure.error : undefined;
    const forgotten = end !== undefined && deniedAll.test(end.message) ? gone(from, to, end.message) : end;
    if (forgotten?.code === 'compacted') lost = { from, error: forgotten };
    return forgotten;
  }

  async function knownFor(from: Revision, to: Revision): Promise<Known> {
    if (lost !== undefined && from <= lost.from) throw lost.error;
    const until = clock.now() + timeoutMs;
    try {
      for (;;) {
        try {
          return await reach(from, to);
        } catch (error) {
          const end = fatal(error, from, to);
          if (end !== undefined) throw end;
          if (clock.now() >= until) throw new StorageError('unavailable', 'the etcd watch broke off', { cause: error });
          await clock.sleep(retryMs, closed);
        }
      }
    } finally {
      usedAt = clock.now();
      void forgetLater();
    }
  }

  return async (prefix, from, to) => {
    const mine = turn.then(() => knownFor(from, to));
    turn = mine.catch(() => undefined); // the caller gets the error below; the next one reads by itself
    const { changes, below } = await mine;
    const all = below.get(prefix) ?? changes.filter(change => keyOf(change).startsWith(prefix));
    below.set(prefix, all);
    return all.filter(({ revision }) => revision > from && revision <= to);
  };
}

/** A user of etcd may have access to the keys of the prefix only. */
const deniedAll = /permission denied/;

const gone = (from: Revision, to: Revision, why: string): StorageError =>
  new StorageError('compacted', `changes after revision ${from} up to ${to} ${why}`, { revision: to });
