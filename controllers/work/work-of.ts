import type { KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { pruneManifest } from '../../kinds/karmada/work/prune-manifest.js';
import type { Work } from '../../api/karmada/types.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import type { Overridden } from '../override/interface.js';

/** Returns a Work with one manifest, labelled as managed and pruned. Changes the manifest, which must not be used afterwards. */
export function workOf(metadata: ObjectMeta, manifest: KubeObject): Work {
  const { uid = '' } = manifest.metadata;
  Object.assign((manifest.metadata.annotations ??= {}), {
    [annotations.templateUid]: uid,
    [annotations.workName]: metadata.name,
    [annotations.workNamespace]: metadata.namespace,
  });
  (manifest.metadata.labels ??= {})[labels.managed] = 'true';
  pruneManifest(manifest);
  return {
    apiVersion: 'work.karmada.io/v1alpha1',
    kind: 'Work',
    metadata,
    spec: { workload: { manifests: [manifest] } },
  };
}

/** Returns annotations that record the applied overrides. */
export const appliedOverrides = ({ clusterOverrides, overrides }: Overridden): Record<string, string> => ({
  ...applied(annotations.appliedClusterOverrides, clusterOverrides),
  ...applied(annotations.appliedOverrides, overrides),
});

const applied = (key: string, list: readonly unknown[]): Record<string, string> =>
  list.length > 0 ? { [key]: JSON.stringify(list) } : {};
