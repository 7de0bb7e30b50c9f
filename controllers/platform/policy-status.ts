import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { typeWarnings } from '../../admission/policy/type-check.js';
import type { Catalogue } from '../../registry/interface.js';
import type { ControllerContext } from '../../client/runtime/interface.js';

const policies: GroupVersionResource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingadmissionpolicies',
};

const fieldManager = 'validatingadmissionpolicy-status';

/** Writes the type checking warnings of policies' expressions into their status. */
// as pkg/controller/validatingadmissionpolicystatus
export function startPolicyStatus(context: ControllerContext, catalogue: Catalogue): void {
  const mirror = context.informers.informer<KubeObject>(policies);
  context.run({
    name: 'validatingadmissionpolicy-status-controller',
    workers: 1,
    synced: [mirror.synced],
    wire: queue => mirror.onChange(({ new: policy }) => policy && queue.add(policy.metadata.name ?? '')),
    reconcile: async name => {
      const policy = mirror.get(name);
      const { generation = 0 } = policy?.metadata ?? {};
      const { observedGeneration = 0 } = (policy?.status ?? {}) as { observedGeneration?: number };
      if (!policy || generation <= observedGeneration) return;
      const expressionWarnings = typeWarnings(policy.spec ?? {}, catalogue);
      const patch = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        status: {
          observedGeneration: generation,
          typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : {},
        },
      };
      const options = { fieldManager, subresource: 'status' };
      await context.client.patch(policies, { name }, { type: 'apply', patch, force: true }, options);
    },
  });
}
