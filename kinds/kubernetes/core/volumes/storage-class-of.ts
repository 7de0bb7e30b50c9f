import type { PersistentVolume, PersistentVolumeClaim } from '../../../../api/kubernetes/core.js';

const betaAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The storage class that a claim or volume names: the beta annotation goes before the field; '' for none. */
// as pkg/apis/core/helper GetPersistentVolumeClaimClass, GetPersistentVolumeClass
export function storageClassOf(object: PersistentVolume | PersistentVolumeClaim): string {
  return object.metadata.annotations?.[betaAnnotation] ?? object.spec?.storageClassName ?? '';
}
