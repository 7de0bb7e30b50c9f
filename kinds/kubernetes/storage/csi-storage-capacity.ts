import {
  csiStorageCapacityChangeRules,
  csiStorageCapacityRules,
  csiStorageCapacityWarnings,
} from './csi-storage-capacity-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';

export const csiStorageCapacity: NativeKind = {
  group: 'storage.k8s.io',
  kind: 'CSIStorageCapacity',
  strategy: strategy({
    unconditionalUpdate: false,
    validateCreate: csiStorageCapacityRules,
    validateUpdate: csiStorageCapacityChangeRules,
    warnings: [csiStorageCapacityWarnings],
    metadataRepeats: ['change', 'whole'],
  }),
};
