import type { ServiceError } from '@grpc/grpc-js';
import type { IEvent, IWatchResponse } from 'etcd3';
import type { Clock } from '../clock.js';
import { StorageError } from '../error.js';
import type { Change, Revision } from '../interface.js';
import type { Log } from '../log.js';
import { toRevision } from '../revision.js';
import type { EtcdClient, WatchStream } from './client.js';
import { failureOf } from './errors.js';
import { type Keys, rangeEnd } from './keys.js';

export interface Watching {
  watch(prefix: string, from: Revision, signal: AbortSignal): AsyncIterable<Change<Uint8Array>>;
  /** Asks the streams of this prefix how far they are; false when one of them might lie. */
  requestProgress(prefix: string): boolean;
}

export interface WatchingOptions {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  /** Trust answers to progress requests whatever the version of etcd. */
  readonly trustProgress: boolean;
}

const firstRetryMs = 50;
const lastRetryMs = 2000;

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

/** One change per event; those of one revision know that they belong together. */
function changesOf(events: readonly IEvent[], keys: Keys): Change<Uint8Array>[] {
  return events.map((event, index) => {
    const revision = toRevision(Number(event.kv.mod_revision));
    // Absent: the key is new, or its past is compacted.
    const previous = (event.prev_kv as typeof event.prev_kv | null) === null ? undefined : keys.item(event.prev_kv);
    const more = events[index + 1]?.kv.mod_revision === event.kv.mod_revision ? { more: true as const } : {};
    return event.type === 'Put'
      ? { type: 'put', item: keys.item(event.kv), previous, revision, ...more }
      : { type: 'remove', key: keys.decode(event.kv.key), previous, revision, ...more };
  });
}

function canceled(response: IWatchResponse): StorageError | undefined {
  if (!response.canceled) return undefined;
  const compacted = Number(response.compact_revision);
  if (compacted > 0 || /compacted/.test(response.cancel_reason)) {
    const options = compacted > 0 ? { revision: toRevision(compacted) } : {};
    return new StorageError('compacted', 'etcd: required revision has been compacted', options);
  }
  return new StorageError('unavailable', `etcd ended the watch: ${response.cancel_reason}`);
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

  /** Prefixes that are asked for at the end of this turn: many readers, one request. */
  const asking = new Set<string>();

  function ask(prefix: string): void {
    asking.delete(prefix);
    for (const { stream } of streams.get(prefix) ?? []) stream.write({ progress_request: {} });
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

  /** The responses of one stream, fragments joined. Throws when it breaks off. */
  async function* responses(prefix: string, start: number, signal: AbortSignal): AsyncGenerator<IWatchResponse> {
    const { stream, endpoint, failed } = await client.watch();
    let release = (): void => undefined;
    const cancel = (): void => stream.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    // After its end, a canceled stream still tells that it was canceled; nobody listens any more.
    stream.on('error', () => undefined);
    try {
      release = register(prefix, { stream, safe: await isSafe(endpoint) });
      if (signal.aborted) return;
      const key = keys.encode(prefix);
      stream.write({
        create_request: {
          key: key.length === 0 ? Buffer.from([0]) : key,
          range_end: rangeEnd(key),
          start_revision: start,
          prev_kv: true,
          progress_notify: true,
          fragment: true,
        },
      });
      let fragments: IEvent[] = [];
      for await (const response of stream as AsyncIterable<IWatchResponse>) {
        const error = canceled(response);
        if (error !== undefined) throw error;
        fragments.push(...response.events);
        if (response.fragment) continue;
        const events = fragments;
        fragments = [];
        yield { ...response, events };
      }
    } catch (error) {
      if (!(error instanceof StorageError)) {
        failed(error);
        safe.delete(endpoint);
      }
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      release();
      stream.cancel();
    }
  }

  /** What ends the watch; undefined: the stream broke off and is worth another one. */
  function fatal(error: unknown): StorageError | undefined {
    if (error instanceof StorageError) return error.code === 'unavailable' ? undefined : error;
    const failure = failureOf(error as ServiceError);
    return failure.type === 'final' && failure.error.code !== 'unavailable' ? failure.error : undefined;
  }

  async function* watch(prefix: string, from: Revision, signal: AbortSignal): AsyncGenerator<Change<Uint8Array>> {
    let seen: number = from;
    let cluster: string | undefined;
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      try {
        for await (const response of responses(prefix, seen + 1, signal)) {
          retryMs = firstRetryMs;
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
          const reached = last ?? (response.created ? 0 : Number(response.header.revision));
          if (reached <= seen) continue;
          seen = reached;
          if (last === undefined) yield { type: 'progress', revision: toRevision(reached) };
        }
      } catch (error) {
        if (signal.aborted) return;
        const end = fatal(error);
        if (end !== undefined) throw end;
        log.warn({ prefix, from: seen, err: error, retryMs }, 'the etcd watch broke off; it goes on where it was');
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
