import type { Filter } from '../interface.js';
import { isTarget } from './is-target.js';

/** Requires that all scheduled members of the affinity group have this cluster as a target. */
export const workloadAffinity: Filter = (binding, cluster) => {
  const { name = '' } = cluster.metadata;
  const group = binding.spec.workloadAffinityGroups?.affinityGroup;
  if (!group || !binding.peers || isTarget(binding.spec, name)) return undefined;
  const placed = binding.peers('affinityGroup', group).filter(peer => peer.spec.clusters?.length);
  return placed.every(peer => isTarget(peer.spec, name))
    ? undefined
    : 'ResourceBinding with the same affinity group does not target this cluster';
};

/** Refuses clusters that are targets of another member of the anti-affinity group. */
export const workloadAntiAffinity: Filter = (binding, cluster) => {
  const { name = '' } = cluster.metadata;
  const group = binding.spec.workloadAffinityGroups?.antiAffinityGroup;
  if (!group || !binding.peers || isTarget(binding.spec, name)) return undefined;
  const occupied = binding.peers('antiAffinityGroup', group).some(peer => isTarget(peer.spec, name));
  return occupied ? 'cluster already has workload with the same anti-affinity group' : undefined;
};
