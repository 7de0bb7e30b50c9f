import type { Binding, BindingSpec, Cluster, Taint } from '../../api/karmada/types.js';
import { untoleratedTaint } from '../../kinds/kubernetes/core/tolerates.js';
import { didYouMean, invalidFlag, UsageError } from '../flags/flags.js';

const effects: readonly Taint['effect'][] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** A taint that a simulation adds to a cluster, or takes away. */
interface TaintChange {
  readonly cluster: string;
  readonly taint: Taint;
  readonly removes: boolean;
}

/** Parses `CLUSTER=KEY[=VALUE]:EFFECT`, with a `-` at the end to take the taint away, as in `kubectl taint`. */
export function parseTaint(text: string): TaintChange {
  const [, cluster, key, value, given = '', minus] = /^([^=]+)=([^=:]+)(?:=([^:]*))?:([A-Za-z]+)(-?)$/.exec(text) ?? [];
  const effect = effects.find(known => known === given);
  if (cluster === undefined || key === undefined || !effect) {
    const hint = given === '' ? '' : didYouMean(given, effects);
    throw invalidFlag(
      'taint',
      text,
      `want CLUSTER=KEY[=VALUE]:EFFECT, with one of the effects ${effects.join(', ')}${hint}`,
    );
  }
  return { cluster, taint: { key, ...(value && { value }), effect }, removes: minus === '-' };
}

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** Returns the clusters with their taints changed. Throws a UsageError for a cluster that does not exist. */
export function withTaints(clusters: readonly Cluster[], changes: readonly TaintChange[]): Cluster[] {
  const byName = new Map(clusters.map(cluster => [cluster.metadata.name ?? '', cluster]));
  for (const { cluster: name, taint, removes } of changes) {
    const cluster = byName.get(name);
    if (!cluster)
      throw new UsageError(
        `--taint names the cluster ${name}, which does not exist${didYouMean(name, [...byName.keys()])}`,
      );
    const others = (cluster.spec.taints ?? []).filter(other => !isSame(other, taint));
    byName.set(name, { ...cluster, spec: { ...cluster.spec, taints: removes ? others : [...others, taint] } });
  }
  return [...byName.values()];
}

/**
 * Returns a binding without the targets that are evicted at once because of NoExecute taints. Tolerations that end after some time count as lasting.
 */
export function evicted(binding: Binding, clusters: ReadonlyMap<string, Cluster>): Binding {
  const { clusters: targets = [], placement, gracefulEvictionTasks = [] } = binding.spec;
  const leaves = (name: string): boolean => {
    const taints = clusters.get(name)?.spec.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
    return untoleratedTaint(taints, placement?.clusterTolerations ?? []) !== undefined;
  };
  const leaving = targets.filter(({ name }) => leaves(name));
  if (leaving.length === 0) return binding;
  const tasks = leaving.map(({ name }) => ({
    fromCluster: name,
    reason: 'TaintUntolerated',
    producer: 'TaintManager',
  }));
  const spec: BindingSpec = {
    ...binding.spec,
    clusters: targets.filter(target => !leaving.includes(target)),
    gracefulEvictionTasks: [...gracefulEvictionTasks, ...tasks],
  };
  return { ...binding, spec };
}
