/** Keeps a policy equal to what a server holds. */
import { follow } from '../../client/watch/follow.js';
import type { Client } from '../../client/interface.js';
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

export function followPolicy(policy: Policy, { client, signal, onError }: FollowDeps): Following {
  const all = resources.map(resource =>
    follow(
      { group: rbacGroup, version: 'v1', resource },
      {
        ...{ client, signal },
        onChange: (key, _, is) => (is ? policy.put(resource, key, is) : policy.remove(resource, key)),
        onError: error => onError(resource, error),
      },
    ),
  );
  const synced = Promise.all(all.map(each => each.synced)).then(() => undefined);
  // Who does not wait for it must not die of it.
  synced.catch(() => undefined);
  return { synced, done: Promise.all(all.map(each => each.done)).then(() => undefined) };
}
