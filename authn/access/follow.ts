/** Keeps a policy equal to what a server holds. */
import { setTimeout } from 'node:timers/promises';
import type { GroupVersionResource } from '../../openapi/interface.js';
import { hasReason } from '../../openapi/meta/status.js';
import type { Client } from '../../registry/interface.js';
import { rbacGroup, type Policy, type PolicyResource } from './policy.js';

const resources: readonly PolicyResource[] = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];

export interface Following {
  /** All that was there has been taken in. Rejects only when the signal came first. */
  readonly synced: Promise<void>;
  /** The signal came and everything has ended. */
  readonly done: Promise<void>;
}

export interface FollowDeps {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** A list or watch failed and will be tried again. */
  readonly onError: (resource: PolicyResource, error: unknown) => void;
}

const retryMilliseconds = 500;

/** Lists and watches one resource until the signal comes. */
async function followOne(
  policy: Policy,
  resource: PolicyResource,
  deps: FollowDeps,
  synced: () => void,
): Promise<void> {
  const { client, signal } = deps;
  const where: GroupVersionResource = { group: rbacGroup, version: 'v1', resource };
  let version: string | undefined;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        const list = await client.list(where);
        policy.replace(resource, list.items);
        version = list.metadata.resourceVersion ?? '';
        synced();
      }
      for await (const event of client.watch(where, { resourceVersion: version, allowWatchBookmarks: true }, signal)) {
        version = event.object.metadata.resourceVersion ?? version;
        if (event.type === 'DELETED') policy.remove(resource, event.object);
        else if (event.type !== 'BOOKMARK') policy.put(resource, event.object);
      }
    } catch (error) {
      // The signal ends the loop; whatever was thrown because of it is no failure.
      if (signal.aborted) return;
      if (hasReason(error, 'Expired') || hasReason(error, 'Gone')) {
        version = undefined;
        continue;
      }
      deps.onError(resource, error);
      await setTimeout(retryMilliseconds, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

export function followPolicy(policy: Policy, deps: FollowDeps): Following {
  const first = resources.map(resource => {
    let settle: () => void = () => undefined;
    const synced = new Promise<void>((resolve, reject) => {
      settle = resolve;
      deps.signal.addEventListener('abort', () => reject(deps.signal.reason as Error), { once: true });
    });
    return { synced, done: followOne(policy, resource, deps, settle) };
  });
  const synced = Promise.all(first.map(f => f.synced)).then(() => undefined);
  // Who does not wait for it must not die of it.
  synced.catch(() => undefined);
  return { synced, done: Promise.all(first.map(f => f.done)).then(() => undefined) };
}
