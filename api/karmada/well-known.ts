/** Karmada's labels, annotations, finalizers, taints and namespaces, exactly as on the wire. */

export const labels = {
  managed: 'karmada.io/managed',
  system: 'karmada.io/system',
  propagationPolicyId: 'propagationpolicy.karmada.io/permanent-id',
  clusterPropagationPolicyId: 'clusterpropagationpolicy.karmada.io/permanent-id',
  resourceBindingId: 'resourcebinding.karmada.io/permanent-id',
  clusterResourceBindingId: 'clusterresourcebinding.karmada.io/permanent-id',
  workId: 'work.karmada.io/permanent-id',
  multiClusterServiceId: 'multiclusterservice.karmada.io/permanent-id',
  bindingManagedBy: 'binding.karmada.io/managed-by',
  dependedByPrefix: 'resourcebinding.karmada.io/depended-by-',
  retainReplicas: 'resourcetemplate.karmada.io/retain-replicas',
  deletionProtected: 'resourcetemplate.karmada.io/deletion-protected',
  claimedBy: 'resourcetemplate.karmada.io/claimed-by',
  skipAutoPropagation: 'namespace.karmada.io/skip-auto-propagation',
  federatedResourceQuotaNamespace: 'federatedresourcequota.karmada.io/namespace',
  federatedResourceQuotaName: 'federatedresourcequota.karmada.io/name',
  endpointSliceNamespace: 'endpointslice.karmada.io/namespace',
  endpointSliceName: 'endpointslice.karmada.io/name',
  endpointSliceManagedBy: 'endpointslice.karmada.io/managed-by',
  multiClusterServiceNamespace: 'multiclusterservice.karmada.io/namespace',
  multiClusterServiceName: 'multiclusterservice.karmada.io/name',
  /** Our own: the ConfigMaps that name the processes with the reverse tunnels of clusters. */
  reverseTunnel: 'cluster.flagship.io/reverse-tunnel',
} as const;

export const annotations = {
  propagationPolicyNamespace: 'propagationpolicy.karmada.io/namespace',
  propagationPolicyName: 'propagationpolicy.karmada.io/name',
  clusterPropagationPolicyName: 'clusterpropagationpolicy.karmada.io/name',
  resourceBindingNamespace: 'resourcebinding.karmada.io/namespace',
  resourceBindingName: 'resourcebinding.karmada.io/name',
  clusterResourceBindingName: 'clusterresourcebinding.karmada.io/name',
  workNamespace: 'work.karmada.io/namespace',
  workName: 'work.karmada.io/name',
  conflictResolution: 'work.karmada.io/conflict-resolution',
  templateUid: 'resourcetemplate.karmada.io/uid',
  templateGeneration: 'resourcetemplate.karmada.io/generation',
  managedAnnotations: 'resourcetemplate.karmada.io/managed-annotations',
  managedLabels: 'resourcetemplate.karmada.io/managed-labels',
  appliedPlacement: 'policy.karmada.io/applied-placement',
  appliedOverrides: 'policy.karmada.io/applied-overrides',
  appliedClusterOverrides: 'policy.karmada.io/applied-cluster-overrides',
  dependencies: 'resourcebinding.karmada.io/dependencies',
  /** Our own. Karmada ignores it. */
  unhealthySince: 'failover.flagship.io/unhealthy-since',
  /** Names the paths of the fields that the mirrors of a ResourceRegistry keep. */
  keptFields: 'search.flagship.io/kept-fields',
  cachedFromCluster: 'resource.karmada.io/cached-from-cluster',
  queryFromCluster: 'resource.karmada.io/query-from-cluster',
  provisionCluster: 'endpointslice.karmada.io/provision-cluster',
  multiClusterServiceNamespace: 'multiclusterservice.karmada.io/namespace',
  multiClusterServiceName: 'multiclusterservice.karmada.io/name',
} as const;

export const finalizers = {
  cluster: 'karmada.io/cluster-controller',
  execution: 'karmada.io/execution-controller',
  binding: 'karmada.io/binding-controller',
  clusterBinding: 'karmada.io/cluster-resource-binding-controller',
  dependenciesDistributor: 'karmada.io/binding-dependencies-distributor',
  propagationPolicy: 'karmada.io/propagation-policy-controller',
  clusterPropagationPolicy: 'karmada.io/cluster-propagation-policy-controller',
  endpointSlice: 'karmada.io/endpointslice-controller',
  multiClusterService: 'karmada.io/multiclusterservice-controller',
  endpointSliceCollect: 'karmada.io/mcs-endpointslice-collect-controller',
  endpointSliceDispatch: 'karmada.io/mcs-endpointslice-dispatch-controller',
} as const;

export const taintKeys = {
  notReady: 'cluster.karmada.io/not-ready',
  unreachable: 'cluster.karmada.io/unreachable',
  unschedulable: 'cluster.karmada.io/unschedulable',
} as const;

export const namespaces = {
  system: 'karmada-system',
  cluster: 'karmada-cluster',
  executionPrefix: 'karmada-es-',
} as const;

/** Reports whether a namespace is never propagated. as pkg/util/names IsReservedNamespace */
export function isReservedNamespace(namespace: string): boolean {
  return (
    namespace === namespaces.system ||
    namespace === namespaces.cluster ||
    namespace.startsWith(namespaces.executionPrefix)
  );
}

/** The resources of Karmada's kinds. */
export const resources = {
  clusters: { group: 'cluster.karmada.io', version: 'v1alpha1', resource: 'clusters' },
  propagationPolicies: { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'propagationpolicies' },
  clusterPropagationPolicies: {
    group: 'policy.karmada.io',
    version: 'v1alpha1',
    resource: 'clusterpropagationpolicies',
  },
  overridePolicies: { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'overridepolicies' },
  clusterOverridePolicies: { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'clusteroverridepolicies' },
  federatedResourceQuotas: { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'federatedresourcequotas' },
  clusterTaintPolicies: { group: 'policy.karmada.io', version: 'v1alpha1', resource: 'clustertaintpolicies' },
  remedies: { group: 'remedy.karmada.io', version: 'v1alpha1', resource: 'remedies' },
  resourceBindings: { group: 'work.karmada.io', version: 'v1alpha2', resource: 'resourcebindings' },
  clusterResourceBindings: { group: 'work.karmada.io', version: 'v1alpha2', resource: 'clusterresourcebindings' },
  works: { group: 'work.karmada.io', version: 'v1alpha1', resource: 'works' },
  interpreterCustomizations: {
    group: 'config.karmada.io',
    version: 'v1alpha1',
    resource: 'resourceinterpretercustomizations',
  },
  interpreterWebhookConfigurations: {
    group: 'config.karmada.io',
    version: 'v1alpha1',
    resource: 'resourceinterpreterwebhookconfigurations',
  },
  resourceRegistries: { group: 'search.karmada.io', version: 'v1alpha1', resource: 'resourceregistries' },
} as const;
