import type { PersistentVolumeClaim } from '../../api/kubernetes/core.js';
import type { AdmissionDeps, AdmissionPlugin } from '../../registry/admission-plugin.js';
import { defaultClass } from './default-class.js';
import { storageClasses } from '../../api/kubernetes/resources.js';
import {
  betaDefaultStorageClassAnnotation,
  betaStorageClassAnnotation,
  defaultStorageClassAnnotation,
} from '../../api/kubernetes/well-known.js';

const defaults = [defaultStorageClassAnnotation, betaDefaultStorageClassAnnotation];

/** Sets the default class of new claims without a class. */
// as plugin/pkg/admission/storage/storageclass/setdefault
export function defaultStorageClass({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    resources: ['persistentvolumeclaims'],
    async mutate({ operation, subresource, object }) {
      if (operation !== 'CREATE' || subresource !== '') return;
      const { metadata, spec } = object as PersistentVolumeClaim;
      if (
        !spec ||
        spec.storageClassName !== undefined ||
        metadata.annotations?.[betaStorageClassAnnotation] !== undefined
      )
        return;
      const name = (await defaultClass(client, storageClasses, defaults))?.metadata.name;
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}
