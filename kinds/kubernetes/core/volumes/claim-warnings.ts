// as pkg/api/persistentvolumeclaim GetWarningsForPersistentVolumeClaim
import type { Field } from '../../../shared/rules/field.js';
import { type Warn, fractionWarning } from '../../../shared/rules/warnings.js';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../api/kubernetes/core.js';
import { betaStorageClassAnnotation } from '../../../../api/kubernetes/well-known.js';

/** Warns of fractions of a byte in the requested storage. as pkg/api/persistentvolumeclaim GetWarningsForPersistentVolumeClaimSpec */
export function claimSpecWarnings(spec: Field<PersistentVolumeClaimSpec>, warn: Warn): void {
  const resources = spec.at('resources');
  fractionWarning(resources.at('requests').entry('storage'), warn);
  fractionWarning(resources.at('limits').entry('storage'), warn);
}

/**
 * Warns of the annotation that storageClassName has replaced, and of the spec.
 * as pkg/api/persistentvolumeclaim GetWarningsForPersistentVolumeClaim
 */
export function claimWarnings(claim: Field<PersistentVolumeClaim>, warn: Warn): void {
  if (claim.value?.metadata.annotations?.[betaStorageClassAnnotation] !== undefined)
    warn(
      `metadata.annotations[${betaStorageClassAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  claimSpecWarnings(claim.at('spec'), warn);
}
