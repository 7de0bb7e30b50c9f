import { volumeAttachmentChangeRules, volumeAttachmentRules } from './volume-attachment-rules.js';
import { keepAllButStatus, resetMetadata, statusPart } from '../../../registry/strategy/parts.js';
import { withStatusOnly } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, booleanColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { VolumeAttachment } from '../../../api/kubernetes/storage.js';

export const volumeAttachment: NativeKind = {
  group: 'storage.k8s.io',
  kind: 'VolumeAttachment',
  printer: printer<VolumeAttachment>(
    [
      name,
      { name: 'Attacher', type: 'string', format: 'name' },
      textColumn('PV'),
      textColumn('Node'),
      booleanColumn('Attached'),
      ageTextColumn,
    ],
    (attachment, now) => [
      nameCell(attachment),
      attachment.spec?.attacher ?? '',
      attachment.spec?.source?.persistentVolumeName ?? '',
      attachment.spec?.nodeName ?? '',
      attachment.status?.attached ?? false,
      ageCell(attachment, now),
    ],
  ),
  strategy: strategy(withStatusOnly, {
    unconditionalUpdate: false,
    returnsDeleted: true,
    validateCreate: volumeAttachmentRules,
    validateUpdate: volumeAttachmentChangeRules,
    metadataRepeats: ['whole'],
  }),
  subresources: {
    status: statusPart({
      prepareUpdate: [keepAllButStatus, resetMetadata],
      validateUpdate: volumeAttachmentChangeRules,
      resetFields: ['metadata', 'spec'],
      metadataRepeats: ['whole'],
    }),
  },
};
