import type { NativeKind } from '../native-kind.js';

export const csiStorageCapacity: NativeKind = { group: 'storage.k8s.io', kind: 'CSIStorageCapacity' };
