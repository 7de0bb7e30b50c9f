// as pkg/apis/storage/validation ValidateVolumeAttachment, ValidateVolumeAttachmentUpdate
import { rangeText } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { inlineVolume } from '../core/volumes/persistent-volume-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { csiDriverName, dnsSubdomain } from '../../shared/rules/name-rules.js';
import { maxInt32 } from '../../shared/rules/numbers.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '../../../api/kubernetes/storage.js';

const maxMetadataBytes = 256 * 1024;
const maxMessageLength = 1024;

function source(field: Field<VolumeAttachmentSource>): void {
  const [inline, name] = [field.at('inlineVolumeSpec'), field.at('persistentVolumeName')];
  const oneOf = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inline.isSet && !name.isSet) field.required(oneOf);
  else if (inline.isSet && name.isSet) field.forbidden(oneOf);
  else if (inline.isSet) inlineVolume(inline);
  else if (name.isEmpty) name.required('must specify non empty persistentVolumeName');
}

function errorOf(field: Field<VolumeError>): void {
  // The limit in the text is upstream's mistake.
  if (Buffer.byteLength(field.value?.message ?? '') > maxMessageLength) field.at('message').tooLong(maxMetadataBytes);
  const code = field.at('errorCode');
  if ((code.value ?? 0) < 0) code.invalid(rangeText(0, maxInt32));
}

function whole(attachment: Field<VolumeAttachment>): void {
  const [spec, status] = [attachment.at('spec'), attachment.at('status')];
  csiDriverName(spec.at('attacher'));
  source(spec.at('source'));
  dnsSubdomain(spec.at('nodeName'));
  let bytes = 0;
  for (const [name, value] of Object.entries(status.value?.attachmentMetadata ?? {}))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  if (bytes > maxMetadataBytes) status.at('attachmentMetadata').tooLong(maxMetadataBytes);
  errorOf(status.at('attachError'));
  errorOf(status.at('detachError'));
  const name = spec.at('source').at('persistentVolumeName');
  if (name.isSet) dnsSubdomain(name);
}

export const volumeAttachmentRules: readonly Validate[] = [validate<VolumeAttachment>(whole)];

export const volumeAttachmentChangeRules: readonly Validate[] = [
  ...volumeAttachmentRules,
  validateChange<VolumeAttachment>((attachment, old) => {
    const spec = attachment.at('spec');
    immutable(spec, old.spec, () => shownInternal('VolumeAttachmentSpec', spec.value));
  }),
];
