import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { annotations, labels } from '../../api/karmada/well-known.js';

const marks = {
  labels: [labels.resourceBindingId, labels.workId, labels.managed],
  annotations: [
    annotations.managedAnnotations,
    annotations.managedLabels,
    annotations.resourceBindingNamespace,
    annotations.resourceBindingName,
    annotations.templateUid,
    annotations.templateGeneration,
    annotations.workName,
    annotations.workNamespace,
  ],
} as const;

/** Labels and annotations of the kind of policy that usually claims a template of this scope. */
const claims = {
  namespaced: {
    labels: [labels.propagationPolicyId],
    annotations: [annotations.propagationPolicyNamespace, annotations.propagationPolicyName],
  },
  clusterScoped: {
    labels: [labels.clusterPropagationPolicyId],
    annotations: [annotations.clusterPropagationPolicyName],
  },
} as const;

/** Returns a manifest without Karmada's labels and annotations, for a member that keeps the resource after its Work is deleted. */
export function releasedManifest(manifest: KubeObject): KubeObject {
  const released = cloneJson(manifest);
  const { metadata } = released;
  const claim = metadata.namespace ? claims.namespaced : claims.clusterScoped;
  for (const key of [...marks.labels, ...claim.labels]) if (metadata.labels) delete metadata.labels[key];
  for (const key of [...marks.annotations, ...claim.annotations])
    if (metadata.annotations) delete metadata.annotations[key];
  return released;
}
