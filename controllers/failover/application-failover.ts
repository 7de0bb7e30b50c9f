import { cloneJson } from '../../lib/json/clone.js';
import { parseApiVersion } from '../../apimachinery/meta/gvk.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { ControllerContext, EventRecorder, Key } from '../../client/runtime/interface.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { evictCluster } from '../eviction/evict.js';
import { evictionOf, type FailoverGates, overdue, unhealthyClusters } from './failover.js';
import { referenced } from '../eviction/graceful-eviction.js';

export interface ApplicationFailoverOptions {
  readonly interpreter: Interpreter;
  readonly gates: FailoverGates;
}

const defaultTolerationSeconds = 300;

/**
 * Evicts an application from clusters where it has been unhealthy for longer than tolerated. The time is counted in memory, so it
 * starts again after a restart.
 */
export function startApplicationFailover(context: ControllerContext, options: ApplicationFailoverOptions): void {
  for (const [name, resource] of [
    ['resource-binding-application-failover-controller', resources.resourceBindings],
    ['cluster-resource-binding-application-failover-controller', resources.clusterResourceBindings],
  ] as const)
    startFor(name, resource, context, options);
}

function startFor(
  name: string,
  resource: GroupVersionResource,
  context: ControllerContext,
  { interpreter, gates }: ApplicationFailoverOptions,
): void {
  const { client, clock, informers } = context;
  const bindings = informers.informer<Binding>(resource);
  const recorder = context.recorder(name);
  /** Times since when the clusters of a binding have been unhealthy, in milliseconds since the epoch. */
  const unhealthySince = new Map<Key, Map<string, number>>();

  /** Reports whether failover applies. A namespaced application must propagate its dependencies, so that they move with it. */
  const concerns = ({ metadata, spec, status }: Binding): boolean =>
    (Boolean(spec.propagateDeps) || !metadata.namespace) &&
    Boolean(status?.aggregatedStatus?.length) &&
    interpreter.has({ ...parseApiVersion(spec.resource.apiVersion), kind: spec.resource.kind }, 'InterpretHealth');

  context.run({
    name,
    synced: [bindings.synced],
    wire: queue =>
      bindings.onChange(({ old, new: binding }) => {
        const state = binding ?? old;
        if (state && (old?.spec.failover?.application ?? binding?.spec.failover?.application)) queue.add(keyOf(state));
      }),
    reconcile: async key => {
      const binding = bindings.get(key);
      const behavior = binding?.spec.failover?.application;
      if (!binding || !behavior || binding.metadata.deletionTimestamp || !concerns(binding)) {
        unhealthySince.delete(key);
        return undefined;
      }
      const now = clock.now();
      const unhealthy = unhealthyClusters(binding);
      // The time starts again for a cluster that was healthy, unknown or gone meanwhile.
      const before = unhealthySince.get(key);
      const since = new Map(unhealthy.map(cluster => [cluster, before?.get(cluster) ?? now]));
      unhealthySince.set(key, since);
      const { tolerationSeconds = defaultTolerationSeconds } = behavior.decisionConditions;
      const { evict, againAfter } = overdue(unhealthy, since, now, tolerationSeconds * 1000);
      const present = evict.filter(cluster => binding.spec.clusters?.some(target => target.name === cluster));
      if (present.length > 0) {
        const draft = cloneJson(binding);
        for (const cluster of present)
          evictCluster(draft.spec, cluster, evictionOf(binding, cluster, behavior, name, gates));
        await write(draft, present, recorder);
      }
      return againAfter === undefined ? undefined : { againAfter };
    },
  });

  /** Writes the version that was judged, so that a conflict causes a new reconcile. */
  async function write(draft: Binding, evicted: readonly string[], recorder: EventRecorder): Promise<void> {
    try {
      await client.update(resource, draft);
    } catch (error) {
      if (!isLostRace(error))
        for (const cluster of evicted)
          for (const about of [draft, referenced(draft.spec.resource)])
            recorder.event(about, 'Warning', 'EvictWorkloadFromClusterFailed', `Evict from cluster ${cluster} failed.`);
      throw error;
    }
  }
}
