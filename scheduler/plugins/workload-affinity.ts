import type { Binding } from '../../api/karmada/types.js';
import type { Filter, SchedulingInput } from '../interface.js';

const isTarget = (binding: SchedulingInput, name: string): boolean =>
  binding.spec.clusters?.some(c => c.name === name) ?? false;
const targets = (peer: Binding, name: string): boolean => peer.spec.clusters?.some(c => c.name === name) ?? false;

/** Requires that all scheduled members of the affinity group have this cluster as a target. */
export const workloadAffinity: Filter = (binding, cluster) => {
  const { name = '' } = cluster.metadata;
  const group = binding.spec.workloadAffinityGroups?.affinityGroup;
  if (!group || !binding.peers || isTarget(binding, name)) return undefined;
  const placed = binding.peers('affinityGroup', group).filter(peer => peer.spec.clusters?.length);
  return placed.every(peer => targets(peer, name))
    ? undefined
    : 'ResourceBinding with the same affinity group does not target this cluster';
};

/** Refuses clusters that are targets of another member of the anti-affinity group. */
export const workloadAntiAffinity: Filter = (binding, cluster) => {
  const { name = '' } = cluster.metadata;
  const group = binding.spec.workloadAffinityGroups?.antiAffinityGroup;
  if (!group || !binding.peers || isTarget(binding, name)) return undefined;
  const occupied = binding.peers('antiAffinityGroup', group).some(peer => targets(peer, name));
  return occupied ? 'cluster already has workload with the same anti-affinity group' : undefined;
};
