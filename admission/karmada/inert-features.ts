import type { KubeObject } from '../../apimachinery/interface.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import { type InertFeature, inertFeatures } from '../../kinds/karmada/inert.js';
import type { AdmissionPlugin } from '../../registry/admission-plugin.js';

/** Returns the resource in the form of plugins: `clusters.cluster.karmada.io`. */
const pluginResource = ({ resource }: InertFeature): string => resource.split('/').reverse().join('.');

const isUsed = ({ used }: InertFeature, object: KubeObject | undefined): boolean =>
  object !== undefined && (used === undefined || used(object));

/** Warns when a field is first set that has no effect. `evictsByTaints`: the taint manager runs. */
export function inertFeatureWarnings(gates: FeatureGates, evictsByTaints = false): AdmissionPlugin {
  const features = inertFeatures.filter(({ gate, needsEviction }) =>
    needsEviction ? !evictsByTaints : gate === undefined || !gates[gate],
  );
  return {
    name: 'InertFeatures',
    resources: [...new Set(features.map(pluginResource))],
    validate({ definition, subresource, object, old, warn }) {
      if (subresource !== '') return;
      const resource = `${definition.group}/${definition.plural}`;
      for (const feature of features)
        if (feature.resource === resource && isUsed(feature, object) && !isUsed(feature, old)) warn(feature.warning);
    },
  };
}
