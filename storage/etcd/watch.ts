import { SharedTrouble } from '../../lib/logging/trouble.js';
import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Backend, BackendWatchOptions, Change, Revision } from '../interface.js';
import type { Log } from '../log.js';
import { toRevision } from '../revision.js';
import type { EtcdClient, WatchStream } from './client.js';
import { failureOf } from './errors.js';
import type { CallError } from './grpc/call-error.js';
import { type Keys, rangeEnd } from './keys.js';
import { changesOf, first, responses } from './stream.js';

export type Watching = Pick<Backend, 'watch' | 'requestProgress'>;

export interface WatchingOptions {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  /** Trusts answers to progress requests whatever the version of etcd. */
  readonly trustProgress: boolean;
  /** Called when a watch has lost its etcd: another one, or a restored one, may answer next. */
  readonly brokeOff: () => void;
}

const firstRetryMs = 50;
const lastRetryMs = 2000;
/** Milliseconds for which etcd may be away before it is logged. */
const lostMs = 1000;

/**
 * Returns whether a progress answer of this version never overtakes pending events: etcd's issue 15220, fixed in 3.4.25 and 3.5.8 (as
 * storage/feature/feature_support_checker.go, which requires the same versions).
 */
export function progressIsSafe(version: string | undefined): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(part => Number.parseInt(part, 10));
  if (major !== 3 || minor > 5) return major > 3 || minor > 5;
  return (minor === 5 && patch >= 8) || (minor === 4 && patch >= 25);
}

interface Running {
  readonly stream: WatchStream;
  readonly safe: boolean;
}

/**
 * Creates watches over etcd's streams, one stream per watch, which resume after the last delivered event wherever the stream broke off. The
 * stream is read as fast as it is consumed: a slow consumer slows etcd down, which drops what it cannot send at the next compaction.
 */
export function createWatching(options: WatchingOptions): Watching {
  const { client, keys, clock, log } = options;
  const streams = new Map<string, Set<Running>>();
  /** Whether an endpoint's answers to progress requests can be trusted, by endpoint, once its version is known. */
  const safe = new Map<number, boolean>();

  const broken = new SharedTrouble({
    ...{ log, now: () => clock.now(), graceMs: lostMs },
    fails: 'etcd cannot be watched; reads and writes may fail until it answers',
    works: 'etcd is watched again',
  });

  /** Prefixes with a progress request at the end of this turn: many readers share one request. */
  const requested = new Set<string>();

  function ask(prefix: string): void {
    requested.delete(prefix);
    for (const { stream } of streams.get(prefix) ?? []) stream.send('progress');
  }

  async function isSafe(endpoint: number): Promise<boolean> {
    const known = safe.get(endpoint);
    if (options.trustProgress || known === true) return true;
    if (known === false) return false;
    const version = await client.version(endpoint);
    if (version !== undefined) safe.set(endpoint, progressIsSafe(version));
    return progressIsSafe(version);
  }

  function register(prefix: string, running: Running): () => void {
    const known = streams.get(prefix) ?? new Set();
    streams.set(prefix, known.add(running));
    return () => {
      known.delete(running);
      if (known.size === 0 && streams.get(prefix) === known) streams.delete(prefix);
    };
  }

  /** Returns the error that ends the watch; undefined: the stream broke off, and another one is worth an attempt. */
  function fatal(error: unknown): StorageError | undefined {
    if (error instanceof StorageError) return error.code === 'unavailable' ? undefined : error;
    const failure = failureOf(error as CallError);
    return failure.type === 'final' && failure.error.code !== 'unavailable' ? failure.error : undefined;
  }

  async function* watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    how: BackendWatchOptions = {},
  ): AsyncGenerator<Change<Uint8Array>> {
    let seen: number = from;
    let cluster: number | undefined;
    let retryMs = firstRetryMs;
    const key = keys.encode(prefix);
    const range = { key: key.length === 0 ? first : key, end: rangeEnd(key) };
    while (!signal.aborted) {
      try {
        const opened = async (stream: WatchStream, endpoint: number): Promise<() => void> =>
          register(prefix, { stream, safe: await isSafe(endpoint) });
        const ended = (endpoint: number): void => void safe.delete(endpoint);
        const start = seen + 1;
        for await (const response of responses({ ...how, client, range, start, signal, opened, ended })) {
          retryMs = firstRetryMs;
          broken.worked(prefix);
          cluster ??= response.header.cluster_id;
          // Another cluster at the same address has revisions of its own.
          if (cluster !== response.header.cluster_id)
            throw new StorageError('compacted', 'another etcd cluster answers');
          const changes = changesOf(response.events, keys);
          for (const change of changes) {
            yield change;
            if (signal.aborted) return;
          }
          const last = changes.at(-1)?.revision;
          // The header of a response with events may be ahead of events still to come; without events it is progress.
          const reached = last ?? (response.created ? 0 : response.header.revision);
          if (reached <= seen) continue;
          seen = reached;
          if (last === undefined) yield { type: 'progress', revision: toRevision(reached) };
        }
      } catch (error) {
        if (signal.aborted) return;
        const end = fatal(error);
        if (end !== undefined) throw end;
        broken.failed(prefix, error);
      } finally {
        if (!signal.aborted) options.brokeOff();
      }
      await clock.sleep(retryMs, signal);
      retryMs = Math.min(2 * retryMs, lastRetryMs);
    }
  }

  return {
    watch,
    requestProgress(prefix) {
      const running = [...(streams.get(prefix) ?? [])];
      if (running.length === 0 || !running.every(one => one.safe)) return false;
      if (!requested.has(prefix)) setImmediate(ask, prefix);
      requested.add(prefix);
      return true;
    },
  };
}
