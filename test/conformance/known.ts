/** Known differences: the reason by the name of the conversation or scenario. A name is removed when it agrees. */
export const known: Readonly<Record<string, string>> = {
  'authz/forbidden/api': 'it tells the address of the server that was recorded',
  'scenarios/custom-resource': 'needs interpreters in Lua, which are not there yet',
  'scenarios/service-export': 'needs multi-cluster Services, which are not there yet',
  'gates/evict-gracefully': 'needs eviction by taints, which is not there yet',
  'gates/evict-directly': 'needs eviction by taints, which is not there yet',
  'gates/multi-cluster-service': 'needs multi-cluster Services, which are not there yet',
  'gates/hpa-marker': 'needs the marker of what autoscalers scale, which is not there yet',
  'gates/components': 'needs interpreters in Lua, which are not there yet',
  'scenarios/job-divided': 'where the third Pod goes is drawn by a hash of the uid, in Karmada too',
};
