import { StorageError } from '../error.js';
import { toRevision } from '../revision.js';
import type { KeyChange } from '../event-log/history.js';
import type { EtcdClient, EtcdWatchStream } from './client.js';
import type { Keys } from './keys.js';
import { type EtcdEvent, type WatchResponse, decodeWatch } from './messages.js';

/** The first of all keys; etcd has no empty key. */
export const first = Buffer.from([0]);

interface StreamOptions {
  readonly client: EtcdClient;
  readonly range: { readonly key: Buffer; readonly end: Buffer };
  /** The first revision to deliver. */
  readonly start: number;
  readonly signal: AbortSignal;
  /** Whether events carry the previous item: true by default. */
  readonly previous?: boolean;
  /** Called when the stream is open and nothing was sent yet; the result is called at its end. */
  readonly opened?: (stream: EtcdWatchStream, endpoint: number) => Promise<() => void>;
  /** Called when the stream broke off. */
  readonly ended?: (endpoint: number) => void;
}

/** Returns one change per event; changes that another one of the same revision follows are marked with `more`. */
export function changesOf(events: readonly EtcdEvent[], keys: Keys): KeyChange<Uint8Array>[] {
  return events.map((event, index) => {
    const revision = toRevision(event.kv.mod_revision);
    // Absent when the key is new, or its history is compacted.
    const previous = event.prev_kv === undefined ? undefined : keys.item(event.prev_kv);
    const more = events[index + 1]?.kv.mod_revision === event.kv.mod_revision ? { more: true as const } : {};
    return event.type === 'Put'
      ? { type: 'put', item: keys.item(event.kv), previous, revision, ...more }
      : { type: 'remove', key: keys.decode(event.kv.key), previous, revision, ...more };
  });
}

function canceled(response: WatchResponse): StorageError | undefined {
  if (!response.canceled) return undefined;
  const compacted = response.compact_revision;
  if (compacted > 0 || /compacted/.test(response.cancel_reason)) {
    const options = compacted > 0 ? { revision: toRevision(compacted) } : {};
    return new StorageError('compacted', 'etcd: required revision has been compacted', options);
  }
  return new StorageError('unavailable', `etcd ended the watch: ${response.cancel_reason}`);
}

/** Yields the responses of one watch on a stream of its own, with joined fragments. Throws when the stream breaks off. */
export async function* responses(options: StreamOptions): AsyncGenerator<WatchResponse> {
  const { client, range, start, signal, previous = true } = options;
  const { stream, endpoint, failed } = await client.watch();
  let release = (): void => undefined;
  const cancel = (): void => stream.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (options.opened !== undefined) release = await options.opened(stream, endpoint);
    if (signal.aborted) return;
    stream.send({ create: { key: range.key, range_end: range.end, start_revision: start, prev_kv: previous } });
    let fragments: EtcdEvent[] = [];
    for await (const message of stream.messages()) {
      const response = decodeWatch(message);
      const error = canceled(response);
      if (error !== undefined) throw error;
      if (!response.fragment && fragments.length === 0) {
        yield response;
        continue;
      }
      fragments.push(...response.events);
      if (response.fragment) continue;
      const events = fragments;
      fragments = [];
      yield { ...response, events };
    }
  } catch (error) {
    if (!(error instanceof StorageError)) {
      failed(error);
      options.ended?.(endpoint);
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    release();
    stream.cancel();
  }
}
