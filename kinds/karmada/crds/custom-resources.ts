import type { KubeObject } from '../../../apimachinery/interface.js';
import { remedy, workloadRebalancer } from './apps.js';
import { cronFederatedHpa, federatedHpa } from './autoscaling.js';
import { clusterResourceBinding, resourceBinding } from './bindings.js';
import { customResource } from './custom-resource.js';
import { resourceInterpreterCustomization, resourceInterpreterWebhookConfiguration } from './interpreters.js';
import { serviceExport, serviceImport } from './multicluster.js';
import { multiClusterIngress, multiClusterService } from './networking.js';
import { clusterOverridePolicy, overridePolicy } from './override-policies.js';
import { clusterTaintPolicy, federatedResourceQuota } from './policies.js';
import { clusterPropagationPolicy, propagationPolicy } from './propagation-policies.js';
import { work } from './work.js';

const all = [
  propagationPolicy,
  clusterPropagationPolicy,
  overridePolicy,
  clusterOverridePolicy,
  resourceBinding,
  clusterResourceBinding,
  work,
  federatedResourceQuota,
  clusterTaintPolicy,
  resourceInterpreterCustomization,
  resourceInterpreterWebhookConfiguration,
  multiClusterIngress,
  multiClusterService,
  serviceExport,
  serviceImport,
  federatedHpa,
  cronFederatedHpa,
  workloadRebalancer,
  remedy,
];

/** Returns the CustomResourceDefinitions of Karmada's control plane. */
export function karmadaCustomResources(): KubeObject[] {
  return all.map(customResource);
}
