import type { Pod, Toleration } from '../../api/kubernetes/core.js';
import type { AdmissionPlugin } from '../../registry/admission-plugin.js';
import { notReadyTaint, unreachableTaint } from '../../api/kubernetes/well-known.js';

const keys = [notReadyTaint, unreachableTaint];
const seconds = 300;

/** Adds tolerations of 300 seconds for failed nodes to pods that do not have their own. */
// as plugin/pkg/admission/defaulttolerationseconds
export function defaultTolerationSeconds(): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    resources: ['pods'],
    mutate({ operation, subresource, object }) {
      if (operation === 'DELETE' || subresource !== '') return;
      const { spec } = object as Pod;
      if (!spec) return;
      const present = spec.tolerations ?? [];
      const missing = keys.filter(key => !present.some(toleration => covers(toleration, key)));
      if (missing.length > 0) spec.tolerations = [...present, ...missing.map(toleranceOf)];
    },
  };
}

const covers = ({ key = '', effect = '' }: Toleration, taintKey: string): boolean =>
  (key === '' || key === taintKey) && (effect === '' || effect === 'NoExecute');

const toleranceOf = (key: string): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: seconds,
});
