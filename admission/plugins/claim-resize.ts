import { compareQuantities, parseQuantity, type Quantity } from '../../apimachinery/quantity/quantity.js';
import type { Client } from '../../client/interface.js';
import type { PersistentVolumeClaim } from '../../api/kubernetes/core.js';
import type { StorageClass } from '../../api/kubernetes/storage.js';
import { deny } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin } from '../../registry/admission-plugin.js';
import { findRecent } from '../../client/recent.js';
import { storageClasses } from '../../api/kubernetes/resources.js';
import { storageClassOf } from '../../kinds/kubernetes/core/volumes/storage-class-of.js';

/** Allows the expansion of a claim only if it is bound and its class allows it. */
// as plugin/pkg/admission/storage/persistentvolume/resize
export function persistentVolumeClaimResize({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    resources: ['persistentvolumeclaims'],
    async validate(request) {
      if (request.operation !== 'UPDATE' || request.subresource !== '') return;
      const claim = request.object as PersistentVolumeClaim;
      const old = request.old as PersistentVolumeClaim;
      if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound') throw deny(request, 'Only bound persistent volume claims can be expanded');
      if (!(await mayGrow(client, claim, old))) throw deny(request, refusal);
    },
  };
}

const refusal =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

const sizeOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  parseQuantity(spec?.resources?.requests?.['storage'] ?? '0');

async function mayGrow(client: Client, claim: PersistentVolumeClaim, old: PersistentVolumeClaim): Promise<boolean> {
  const name = storageClassOf(claim);
  if (name === '' || name !== storageClassOf(old)) return false;
  const found = (await findRecent(client, storageClasses, { name })) as StorageClass | undefined;
  return found?.allowVolumeExpansion ?? false;
}
