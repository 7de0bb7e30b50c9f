/**
 * The native types of storage, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as core from './core.js';
import type * as meta from './meta.js';
import type { Quantity } from './scalars.js';

export interface CSIDriver extends KubeObject {
  spec?: CSIDriverSpec;
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  fsGroupPolicy?: string;
  nodeAllocatableUpdatePeriodSeconds?: number;
  podInfoOnMount?: boolean;
  preventPodSchedulingIfMissing?: boolean;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  serviceAccountTokenInSecrets?: boolean;
  storageCapacity?: boolean;
  tokenRequests?: TokenRequest[];
  volumeLifecycleModes?: string[];
}

export interface CSINode extends KubeObject {
  spec?: CSINodeSpec;
}

export interface CSINodeDriver {
  allocatable?: VolumeNodeResources;
  name?: string;
  nodeID?: string;
  topologyKeys?: string[];
}

export interface CSINodeSpec {
  drivers?: CSINodeDriver[];
}

export interface CSIStorageCapacity extends KubeObject {
  capacity?: Quantity;
  maximumVolumeSize?: Quantity;
  nodeTopology?: meta.LabelSelector;
  storageClassName?: string;
}

export interface StorageClass extends KubeObject {
  allowVolumeExpansion?: boolean;
  allowedTopologies?: core.TopologySelectorTerm[];
  mountOptions?: string[];
  parameters?: Record<string, string>;
  provisioner?: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

export interface TokenRequest {
  audience?: string;
  expirationSeconds?: number;
}

export interface VolumeAttachment extends KubeObject {
  spec?: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentSource {
  inlineVolumeSpec?: core.PersistentVolumeSpec;
  persistentVolumeName?: string;
}

export interface VolumeAttachmentSpec {
  attacher?: string;
  nodeName?: string;
  source?: VolumeAttachmentSource;
}

export interface VolumeAttachmentStatus {
  attachError?: VolumeError;
  attached?: boolean;
  attachmentMetadata?: Record<string, string>;
  detachError?: VolumeError;
}

export interface VolumeAttributesClass extends KubeObject {
  driverName?: string;
  parameters?: Record<string, string>;
}

export interface VolumeError {
  errorCode?: number;
  message?: string;
  time?: string;
}

export interface VolumeNodeResources {
  count?: number;
}
