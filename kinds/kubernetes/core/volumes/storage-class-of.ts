import type { PersistentVolume, PersistentVolumeClaim } from '../../../../api/kubernetes/core.js';
import { betaStorageClassAnnotation } from '../../../../api/kubernetes/well-known.js';

/** Returns the storage class of a claim or volume: the beta annotation takes precedence over the field; '' for none. */
// as pkg/apis/core/helper GetPersistentVolumeClaimClass, GetPersistentVolumeClass
export function storageClassOf(object: PersistentVolume | PersistentVolumeClaim): string {
  return object.metadata.annotations?.[betaStorageClassAnnotation] ?? object.spec?.storageClassName ?? '';
}
