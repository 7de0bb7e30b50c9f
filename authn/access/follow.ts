/** Keeps a policy equal to the RBAC objects of a server. */
import { follow } from '../../client/watch/follow.js';
import type { Client } from '../../client/interface.js';
import { rbacGroup } from '../../kinds/kubernetes/rbac/rules.js';
import type { RbacPolicy, PolicyResource } from './policy.js';

const resources: readonly PolicyResource[] = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];

interface FollowedPolicy {
  /** Resolves when the policy holds all existing objects. Rejects only when the signal aborts first. */
  readonly synced: Promise<void>;
  /** Resolves when the signal has aborted and all watches have ended. */
  readonly done: Promise<void>;
}

interface FollowDeps {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Called when a list or watch failed; it is tried again. */
  readonly onError: (resource: PolicyResource, error: unknown) => void;
}

/** Starts to follow the objects until the signal aborts. */
export function followPolicy(policy: RbacPolicy, { client, signal, onError }: FollowDeps): FollowedPolicy {
  const all = resources.map(resource =>
    follow(
      { group: rbacGroup, version: 'v1', resource },
      {
        ...{ client, signal },
        onChange: (key, _, newCached) =>
          newCached ? policy.put(resource, key, newCached) : policy.remove(resource, key),
        onError: error => onError(resource, error),
      },
    ),
  );
  const synced = Promise.all(all.map(each => each.synced)).then(() => undefined);
  // A caller that does not wait for it must not crash on its rejection.
  synced.catch(() => undefined);
  return { synced, done: Promise.all(all.map(each => each.done)).then(() => undefined) };
}
