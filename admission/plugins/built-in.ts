import { persistentVolumeClaimResize } from './claim-resize.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import type { AdmissionDeps, AdmissionPlugin } from '../../registry/admission-plugin.js';
import { limitRanger } from './limit-ranger.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { podResizeValidator } from './pod-resize-validator.js';
import { podSecurity } from './pod-security/pod-security.js';
import { podTopologyLabels } from './pod-topology-labels.js';
import { runningPlugins } from '../plugin-selection.js';
import { priority } from './priority.js';
import { resourceQuotaPlugin } from './quota/resource-quota.js';
import { runtimeClassPlugin } from './runtime-class.js';
import { serviceAccountPlugin } from './service-account.js';
import { taintNodesByCondition } from './taint-nodes.js';

/**
 * Returns the enabled plugins in upstream's order. `guests` are policies, webhooks and the plugins for certificates and rights; they run
 * after all built-in mutations and before quotas are charged. `runs`: see `runningPlugins`.
 */
// as pkg/kubeapiserver/options AllOrderedPlugins
export function builtInPlugins(
  deps: AdmissionDeps,
  guests: readonly AdmissionPlugin[] = [],
  runs: (name: string) => boolean = runningPlugins('karmada'),
): readonly AdmissionPlugin[] {
  const all = [
    namespaceLifecycle(deps),
    limitRanger(deps),
    serviceAccountPlugin(deps),
    taintNodesByCondition(),
    podSecurity(deps),
    priority(deps),
    defaultTolerationSeconds(),
    defaultStorageClass(deps),
    persistentVolumeClaimResize(deps),
    runtimeClassPlugin(deps),
    defaultIngressClass(deps),
    podTopologyLabels(deps),
    podResizeValidator(deps),
    ...guests,
    resourceQuotaPlugin(deps),
  ];
  return all.filter(({ name }) => runs(name));
}
