import type * as gen from '../../openapi/gen/storage-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type CSIDriver = DraftKind<gen.CSIDriver>;
export type CSIDriverSpec = Draft<gen.CSIDriverSpec>;
export type CSINode = DraftKind<gen.CSINode>;
export type CSINodeDriver = Draft<gen.CSINodeDriver>;
export type CSINodeSpec = Draft<gen.CSINodeSpec>;
export type CSIStorageCapacity = DraftKind<gen.CSIStorageCapacity>;
export type StorageClass = DraftKind<gen.StorageClass>;
export type TokenRequest = Draft<gen.TokenRequest>;
export type VolumeAttachment = DraftKind<gen.VolumeAttachment>;
export type VolumeAttachmentSource = Draft<gen.VolumeAttachmentSource>;
export type VolumeAttachmentSpec = Draft<gen.VolumeAttachmentSpec>;
export type VolumeAttachmentStatus = Draft<gen.VolumeAttachmentStatus>;
export type VolumeAttributesClass = DraftKind<gen.VolumeAttributesClass>;
export type VolumeError = Draft<gen.VolumeError>;
export type VolumeNodeResources = Draft<gen.VolumeNodeResources>;
