/** Known differences: the reason by the name of the case or scenario. An entry is removed when Flagship behaves like the recording. */
export const known: Readonly<Record<string, string>> = {
  'authz/forbidden/api': 'the recorded message contains the address of the recorded server',
  'scenarios/service-export': 'requires multi-cluster Services, which are not supported yet',
  'gates/evict-gracefully': 'requires eviction by taints, which is not supported yet',
  'gates/evict-directly': 'requires eviction by taints, which is not supported yet',
  'gates/multi-cluster-service': 'requires multi-cluster Services, which are not supported yet',
  'gates/hpa-marker': 'requires the label of templates that an autoscaler scales, which is not supported yet',
  'scenarios/job-divided': 'the cluster of the third Pod depends on a hash of the uid, in Karmada too',
};
