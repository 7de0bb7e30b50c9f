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
  /** Trust answers to progress requests whatever the version of etcd. */
  readonly trustProgress: boolean;
  /** A watch has lost its etcd: what comes next need not be what was. */
  readonly brokeOff: () => void;
}

const firstRetryMs = 50;
const lastRetryMs = 2000;
/** Milliseconds that etcd may be away before the log tells of it. */
const lostMs = 1000;

/**
 * Whether an answer to a progress request never overtakes events that are on their way: etcd's issue 15220, mended in 3.4.25 and 3.5.8
 * (// as storage/feature/feature_support_checker.go, which asks for the same versions).
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
 * Our own watch over etcd's stream, one stream per watch: it goes on after the last event that was delivered, wherever the stream broke off.
 * The stream is read as it is consumed, so that a slow consumer slows etcd down, which forgets what it cannot send at the next compaction.
 */
export function createWatching(options: WatchingOptions): Watching {
  const { client, keys, clock, log } = options;
  const streams = new Map<string, Set<Running>>();
  /** By endpoint, once its version is known: whether its answers to progress requests can be trusted. */
  const safe = new Map<number, boolean>();

  const broken = new SharedTrouble({
    ...{ log, now: () => clock.now(), graceMs: lostMs },
    fails: 'etcd cannot be watched; reads and writes may fail until it answers',
    works: 'etcd is watched again',
  });

  /** Prefixes that are asked for at the end of this turn: many readers, one request. */
  const asking = new Set<string>();

  function ask(prefix: string): void {
    asking.delete(prefix);
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

  /** What ends the watch; undefined: the stream broke off and is worth another one. */
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
          // At the same address, but its revisions are other revisions.
          if (cluster !== response.header.cluster_id)
            throw new StorageError('compacted', 'another etcd cluster answers');
          const changes = changesOf(response.events, keys);
          for (const change of changes) {
            yield change;
            if (signal.aborted) return;
          }
          const last = changes.at(-1)?.revision;
          // The header of a response with events may be ahead of events that are still to come; without events it is progress.
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
      if (!asking.has(prefix)) setImmediate(ask, prefix);
      asking.add(prefix);
      return true;
    },
  };
}
