/** All objects of a resource in memory, kept equal to what the server holds, for components that read them with every request. */
import { setTimeout as pause } from 'node:timers/promises';
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { objectKey } from '../../openapi/meta/gvk.js';
import type { Client } from '../interface.js';

export interface MirrorOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Told when what stands has changed; first when all that was there has been taken in. By key. */
  readonly onChange: (objects: ReadonlyMap<string, KubeObject>) => void;
  /** The watch failed and is tried again. */
  readonly onError: (error: unknown) => void;
}

export interface Mirror {
  /** All that was there at the start has been taken in; rejects when the signal comes first. */
  readonly synced: Promise<void>;
  /** The signal came and everything has ended. */
  readonly done: Promise<void>;
}

const retryMs = 500;
const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;

const isInitialEnd = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['k8s.io/initial-events-end'] === 'true';

export function mirror(resource: GroupVersionResource, { client, signal, onChange, onError }: MirrorOptions): Mirror {
  let objects = new Map<string, KubeObject>();
  let settle = (): void => undefined;
  const synced = new Promise<void>((resolve, reject) => {
    settle = resolve;
    signal.addEventListener('abort', () => reject(new Error('the mirror has ended')), { once: true });
  });
  // Who does not wait for it must not die of it.
  synced.catch(() => undefined);

  async function watch(): Promise<void> {
    let fresh: Map<string, KubeObject> | undefined = new Map();
    for await (const { type, object } of client.watch(resource, query, signal)) {
      if (type === 'BOOKMARK') {
        if (!fresh || !isInitialEnd(object)) continue;
        objects = fresh;
        fresh = undefined;
        onChange(objects);
        settle();
        continue;
      }
      const key = objectKey(object.metadata.namespace, object.metadata.name ?? '');
      const into = fresh ?? objects;
      if (type === 'DELETED') into.delete(key);
      else into.set(key, object);
      if (!fresh) onChange(objects);
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await watch();
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
      }
      await pause(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return { synced, done: run() };
}
