import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { assessTasks } from './eviction-tasks.js';
import { reportEviction } from './report.js';

interface GracefulEvictionOptions {
  /** Value of `--graceful-eviction-timeout` in milliseconds, for tasks without a grace period of their own. */
  readonly timeout: number;
}

/**
 * Ends graceful evictions: a copy stays in the evicted cluster until it has been replaced, or its grace period is over.
 * as pkg/controllers/gracefuleviction
 */
export function startGracefulEviction(context: ControllerContext, { timeout }: GracefulEvictionOptions): void {
  const { client, clock, informers } = context;
  for (const [name, resource] of [
    ['resource-binding-graceful-eviction-controller', resources.resourceBindings],
    ['cluster-resource-binding-graceful-eviction-controller', resources.clusterResourceBindings],
  ] as const) {
    const bindings = informers.informer<Binding>(resource);
    const recorder = context.recorder(name);
    context.run({
      name,
      synced: [bindings.synced],
      wire: queue =>
        bindings.onChange(({ new: binding }) => {
          if (binding?.spec.gracefulEvictionTasks?.length) queue.add(keyOf(binding));
        }),
      reconcile: async key => {
        const binding = bindings.get(key);
        if (!binding || binding.metadata.deletionTimestamp) return undefined;
        const { kept, evicted, expiresInMs } = assessTasks(binding, clock.now(), timeout);
        const present = binding.spec.gracefulEvictionTasks ?? [];
        if (kept.length !== present.length || kept.some((task, i) => task !== present[i])) {
          const { gracefulEvictionTasks: _, ...rest } = binding.spec;
          const spec = kept.length > 0 ? { ...rest, gracefulEvictionTasks: kept } : rest;
          // Writes the version that was evaluated, so that a conflict causes a new reconcile.
          await client.update(resource, { ...binding, spec });
        }
        for (const cluster of evicted) reportEviction(recorder, binding, cluster);
        return expiresInMs === undefined ? undefined : { againAfter: Math.max(1, expiresInMs) };
      },
    });
  }
}
