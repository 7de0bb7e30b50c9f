import { containersOf } from '../../kinds/kubernetes/core/pod-spec/visit-containers.js';
import type { Pod, PodSpec } from '../../api/kubernetes/core.js';
import { usesSecrets } from './service-account.js';

/** Volumes that refer to API objects, by the field of their source. */
const ofVolumes: Readonly<Record<string, string>> = {
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
};

/** Sources of projected volumes that refer to API objects. */
const ofProjections: Readonly<Record<string, string>> = {
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
};

const usesConfigMaps = (spec: PodSpec): boolean =>
  containersOf(spec).some(
    ({ env = [], envFrom = [] }) =>
      env.some(({ valueFrom }) => valueFrom?.configMapKeyRef) || envFrom.some(({ configMapRef }) => configMapRef),
  ) ||
  (spec.volumes ?? []).some(
    ({ configMap, projected }) => configMap ?? projected?.sources?.some(source => source.configMap),
  );

/** Returns the kind of API objects that a pod refers to, as text; undefined if none. as pkg/api/pod/util.go HasAPIObjectReference */
export function apiReference({ spec = {} }: Pod): string | undefined {
  if (spec.serviceAccountName) return 'serviceaccounts';
  if (usesSecrets(spec)) return 'secrets';
  if (usesConfigMaps(spec)) return 'configmaps';
  if (spec.resourceClaims?.length) return 'resourceclaims';
  for (const { projected, ...volume } of spec.volumes ?? []) {
    const found = Object.keys(volume).find(source => Object.hasOwn(ofVolumes, source));
    if (found !== undefined) return ofVolumes[found];
    for (const source of projected?.sources ?? []) {
      const kind = Object.keys(source).find(each => Object.hasOwn(ofProjections, each));
      if (kind !== undefined) return ofProjections[kind];
    }
  }
  return undefined;
}
