import { persistentVolumeClaimResize } from './claim-resize.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import type { AdmissionDeps, AdmissionPlugin } from './interface.js';
import { limitRanger } from './limit-ranger.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { podResizeValidator } from './pod-resize-validator.js';
import { podSecurity } from './pod-security/pod-security.js';
import { podTopologyLabels } from './pod-topology-labels.js';
import { priority } from './priority.js';
import { resourceQuota } from './quota/resource-quota.js';
import { runtimeClass } from './runtime-class.js';
import { serviceAccount } from './service-account.js';
import { taintNodesByCondition } from './taint-nodes.js';

/**
 * The plugins that are on by default, in upstream's order (SEC-050). `guests`: policies, webhooks and what guards certificates and
 * rights; they stand after all that changes objects, and before quotas are charged. Karmada switches the one of ServiceAccounts off: its
 * Pods are templates, and their ServiceAccounts live in members.
 */
// as pkg/kubeapiserver/options AllOrderedPlugins
export function builtInPlugins(
  deps: AdmissionDeps,
  guests: readonly AdmissionPlugin[] = [],
  profile: 'karmada' | 'kubernetes' = 'karmada',
): readonly AdmissionPlugin[] {
  return [
    namespaceLifecycle(deps),
    limitRanger(deps),
    ...(profile === 'kubernetes' ? [serviceAccount(deps)] : []),
    taintNodesByCondition(),
    podSecurity(deps),
    priority(deps),
    defaultTolerationSeconds(),
    defaultStorageClass(deps),
    persistentVolumeClaimResize(deps),
    runtimeClass(deps),
    defaultIngressClass(deps),
    podTopologyLabels(deps),
    podResizeValidator(deps),
    ...guests,
    resourceQuota(deps),
  ];
}
