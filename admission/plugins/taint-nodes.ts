import type { Node } from '../../api/kubernetes/core.js';
import type { AdmissionPlugin } from '../../registry/admission-plugin.js';
import { notReadyTaint } from '../../api/kubernetes/well-known.js';

const effect = 'NoSchedule';

/** Taints new nodes as not ready, so that no pods are scheduled before they are. */
// as plugin/pkg/admission/nodetaint
export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    resources: ['nodes'],
    mutate({ operation, subresource, object }) {
      if (operation !== 'CREATE' || subresource !== '') return;
      const node = object as Node;
      const { taints = [] } = (node.spec ??= {});
      if (!taints.some(taint => taint.key === notReadyTaint && taint.effect === effect))
        node.spec.taints = [...taints, { key: notReadyTaint, effect }];
    },
  };
}
