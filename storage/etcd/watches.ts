import { SharedFailureState } from '../../lib/logging/failure-state.js';
import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { BackendWatchOptions, Change, Revision } from '../interface.js';
import type { Log } from '../log.js';
import { toRevision } from '../revision.js';
import type { EtcdClient } from './client.js';
import { failureOf } from './errors.js';
import type { CallError } from './grpc/call-error.js';
import { type Keys, rangeEnd } from './keys.js';
import type { WatchResponse } from './messages.js';
import { ProgressRequests } from './progress.js';
import { changesOf, first, responses } from './stream.js';

interface EtcdWatchesOptions {
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

/** Returns the error that ends the watch; undefined: the stream broke off, and another one is worth an attempt. */
function fatal(error: unknown): StorageError | undefined {
  if (error instanceof StorageError) return error.code === 'unavailable' ? undefined : error;
  const failure = failureOf(error as CallError);
  return failure.type === 'final' && failure.error.code !== 'unavailable' ? failure.error : undefined;
}

/**
 * Watches over etcd's streams, one stream per watch, which resume after the last delivered event wherever the stream broke off. The stream is read
 * as fast as it is consumed: a slow consumer slows etcd down, which drops what it cannot send at the next compaction.
 */
export class EtcdWatches {
  readonly #options: EtcdWatchesOptions;
  readonly #progress: ProgressRequests;
  readonly #broken: SharedFailureState;

  constructor(options: EtcdWatchesOptions) {
    const { client, clock, log } = options;
    this.#options = options;
    this.#progress = new ProgressRequests(client, options.trustProgress);
    this.#broken = new SharedFailureState({
      ...{ log, now: () => clock.now(), graceMs: lostMs },
      fails: 'etcd cannot be watched; reads and writes may fail until it answers',
      works: 'etcd is watched again',
    });
  }

  async *watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    how: BackendWatchOptions = {},
  ): AsyncGenerator<Change<Uint8Array>> {
    const { clock, keys } = this.#options;
    let seen: number = from;
    let cluster: number | undefined;
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      try {
        for await (const response of this.#responses(prefix, seen, signal, how)) {
          retryMs = firstRetryMs;
          this.#broken.worked(prefix);
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
        this.#broken.failed(prefix, error);
      } finally {
        if (!signal.aborted) this.#options.brokeOff();
      }
      await clock.sleep(retryMs, signal);
      retryMs = Math.min(2 * retryMs, lastRetryMs);
    }
  }

  /** See `Backend.requestProgress`. */
  requestProgress(prefix: string): boolean {
    return this.#progress.request(prefix);
  }

  /** Returns the responses of a stream of changes after `seen`. */
  #responses(
    prefix: string,
    seen: number,
    signal: AbortSignal,
    how: BackendWatchOptions,
  ): AsyncGenerator<WatchResponse> {
    const { client, keys } = this.#options;
    const key = keys.encode(prefix);
    return responses({
      ...how,
      client,
      range: { key: key.length === 0 ? first : key, end: rangeEnd(key) },
      start: seen + 1,
      signal,
      opened: (stream, endpoint) => this.#progress.opened(prefix, stream, endpoint),
      ended: endpoint => this.#progress.ended(endpoint),
    });
  }
}
