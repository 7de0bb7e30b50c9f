import type { KubeObject } from '../../apimachinery/interface.js';

export interface WorkloadReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
}

export interface ObservedWorkload {
  workload: WorkloadReference;
  /** Absent while the workload has not been handled. */
  result?: 'Successful' | 'Failed';
  reason?: 'ReferencedBindingNotFound';
}

export interface WorkloadRebalancer extends KubeObject {
  spec: { workloads: WorkloadReference[]; ttlSecondsAfterFinished?: number };
  status?: { observedWorkloads?: ObservedWorkload[]; observedGeneration?: number; finishTime?: string };
}

const idOf = ({ apiVersion, kind, namespace = '', name }: WorkloadReference): string =>
  `${apiVersion} ${kind} ${namespace} ${name}`;

/** Returns the workloads of spec and status, sorted, without duplicates; of those no longer in spec, only the successful ones. */
export function observedWorkloads({ spec, status }: WorkloadRebalancer): ObservedWorkload[] {
  const wanted = new Map(spec.workloads.map(workload => [idOf(workload), { workload }]));
  const known = (status?.observedWorkloads ?? []).filter(
    ({ workload, result }) => wanted.has(idOf(workload)) || result === 'Successful',
  );
  const all = new Map<string, ObservedWorkload>([
    ...wanted,
    ...known.map(item => [idOf(item.workload), item] as const),
  ]);
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
