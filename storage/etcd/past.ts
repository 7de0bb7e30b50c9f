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
  /** How much of it is held, at most, for those who ask next. */
  readonly maxBytes?: number;
}

/** Changes below the prefix after `from` up to and including `to`. Throws 'compacted' when etcd has forgotten them, or when they are too many. */
export type Past = (prefix: string, from: Revision, to: Revision) => Promise<readonly KeyChange<Uint8Array>[]>;

/** Everything of ours that happened after `floor`, up to `head`. */
interface Known {
  readonly floor: Revision;
  readonly head: Revision;
  readonly changes: readonly KeyChange<Uint8Array>[];
  readonly bytes: number;
  /** Those below a prefix, once somebody has asked for it. */
  readonly below: Map<string, readonly KeyChange<Uint8Array>[]>;
}

interface Read {
  readonly changes: readonly KeyChange<Uint8Array>[];
  readonly bytes: number;
}

/** After a restart all clients come back within moments. */
const keptMs = 30_000;
/** A part of the past comes at once, or etcd is in trouble. */
const patienceMs = 10_000;
const retryMs = 100;

/** etcd looks up what a change replaced when it sends it: it may be compacted meanwhile. */
const isWhole = ({ type, kv, prev_kv: previous }: Event): boolean =>
  previous !== undefined || (type === 'Put' && kv.version === 1);

const bytesOf = (change: KeyChange<Uint8Array>): number =>
  256 + (change.type === 'put' ? change.item.value.length : 0) + (change.previous?.value.length ?? 0);

/**
 * etcd's history, for watches that go on after a restart. A watch of a prefix does not tell when it has told all: where nothing happens any more it
 * is silent, and old versions of etcd answer requests for progress too early. But every revision changes some key. So all keys are
 * watched, until the last revision has come. What was told is kept for a while, since one client seldom comes alone: the past is read once
 * for all of them, and of all resources.
 */
export function createPast({ client, keys, clock, newest, closed, maxBytes = 64 << 20 }: PastOptions): Past {
  let known: Known | undefined;
  /** What is asked for from there or before is gone. */
  let lost: { readonly from: Revision; readonly error: StorageError } | undefined;
  let usedAt = 0;
  let forgetting = false;
  /** One reads at a time: the next finds what it has read. */
  let turn: Promise<unknown> = Promise.resolve();

  /** With other servers on the same etcd, not every key is one of this. */
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

  /** From the revision after `from` to `to`. */
  async function read(from: Revision, to: Revision, most: number): Promise<Read> {
    const changes: KeyChange<Uint8Array>[] = [];
    let bytes = 0;
    let reached: number = from;
    if (reached >= to) return { changes, bytes };
    const late = AbortSignal.timeout(patienceMs);
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
      if (bytes > most) throw gone(from, to, 'are too many');
      if (reached >= to) return { changes, bytes };
    }
    throw new StorageError('unavailable', late.aborted ? 'etcd does not tell its history' : 'the store is closed');
  }

  async function upToNow(held: Omit<Known, 'below'>): Promise<Omit<Known, 'below'>> {
    const head = await newest();
    const { changes, bytes } = await read(held.head, head, maxBytes - held.bytes);
    return { floor: held.floor, head, changes: [...held.changes, ...changes], bytes: held.bytes + bytes };
  }

  /** What is known, and reaches to there. */
  async function current(to: Revision): Promise<Omit<Known, 'below'>> {
    if (known !== undefined && to <= known.head) return known;
    try {
      if (known !== undefined) return await upToNow(known);
    } catch (error) {
      // What came since is gone, or too much: then what came before is of no use.
      if (!(error instanceof StorageError && error.code === 'compacted')) throw error;
      known = undefined;
    }
    return upToNow({ floor: to, head: to, changes: [], bytes: 0 });
  }

  /** Makes `known` reach from one to the other. */
  async function reach(from: Revision, to: Revision): Promise<Known> {
    if (known !== undefined && from >= known.floor && to <= known.head) return known;
    const held = await current(to);
    const { floor } = held;
    const { changes, bytes } = await read(from, floor, maxBytes - held.bytes);
    const all = { changes: [...changes, ...held.changes], bytes: held.bytes + bytes, below: new Map<string, []>() };
    return (known = { ...all, floor: from < floor ? from : floor, head: held.head });
  }

  /** What ends it; undefined: the stream broke off and is worth another one. */
  function fatal(error: unknown, from: Revision, to: Revision): StorageError | undefined {
    const failure = error instanceof StorageError ? undefined : failureOf(error as CallError);
    const end = failure === undefined ? (error as StorageError) : failure.type === 'final' ? failure.error : undefined;
    const forgotten = end !== undefined && deniedAll.test(end.message) ? gone(from, to, end.message) : end;
    if (forgotten?.code === 'compacted') lost = { from, error: forgotten };
    return forgotten;
  }

  async function told(from: Revision, to: Revision): Promise<Known> {
    if (lost !== undefined && from <= lost.from) throw lost.error;
    const until = clock.now() + patienceMs;
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
    const mine = turn.then(() => told(from, to));
    turn = mine.catch(() => undefined); // told to this one, below; the next has its own turn
    const { changes, below } = await mine;
    const all = below.get(prefix) ?? changes.filter(change => keyOf(change).startsWith(prefix));
    below.set(prefix, all);
    return all.filter(({ revision }) => revision > from && revision <= to);
  };
}

/** A user of etcd may have been given the keys below a prefix alone. */
const deniedAll = /permission denied/;

const gone = (from: Revision, to: Revision, why: string): StorageError =>
  new StorageError('compacted', `changes after revision ${from} up to ${to} ${why}`, { revision: to });
