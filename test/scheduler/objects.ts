/** Clusters, bindings and candidates with what a test of the scheduler needs, and nothing else. */
import type { Binding, BindingSpec, BindingStatus, Cluster } from '../../api/karmada/types.js';
import type { Candidate, SchedulingInput } from '../../scheduler/interface.js';

const deploymentReference = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'n', name: 'web', uid: 'b1f2' },
} as const;

/** Returns a cluster that serves Deployments. */
export const cluster = (name: string, spec: Partial<Cluster['spec']> = {}, metadata: object = {}): Cluster => ({
  ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name, ...metadata } },
  spec: { syncMode: 'Push', ...spec },
  status: { apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }] },
});

/** Returns the spec of a binding of a Deployment. */
export const bindingSpec = (spec: Partial<BindingSpec> = {}): BindingSpec => ({
  resource: deploymentReference,
  ...spec,
});

export const schedulingInput = (
  spec: Partial<BindingSpec> = {},
  more: Partial<SchedulingInput> = {},
): SchedulingInput => ({
  spec: bindingSpec(spec),
  status: {},
  ...more,
});

export const binding = (spec: Partial<BindingSpec> = {}, status?: BindingStatus, metadata: object = {}): Binding => ({
  ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
  metadata: { namespace: 'n', name: 'web-deployment', ...metadata },
  spec: bindingSpec(spec),
  ...(status && { status }),
});

/** Returns a candidate with room for so many replicas. */
export const candidate = (name: string, available: number, more: Partial<Candidate> = {}): Candidate => ({
  ...{ name, cluster: cluster(name), score: 0, overflowOrder: 0, allocatable: available, available },
  ...more,
});
