/** Validates the specs of claims: in claims, in volumes of pods, in stateful sets. */
// as pkg/apis/core/validation ValidatePersistentVolumeClaimSpec
import { labelFaults, labelSelectorFaults } from '../../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../../apimachinery/selectors/label-selectors.js';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import { annotationFaults } from '../../../../registry/strategy/metadata.js';
import { dnsSubdomain, notEmpty } from '../../../shared/rules/name-rules.js';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '../../../../api/kubernetes/core.js';
import { positiveQuantity, resourceQuantity } from '../shared/resource-rules.js';

export interface ClaimOptions {
  readonly allowBadSelectors?: boolean;
  readonly allowBadSourceGroups?: boolean;
}

/** Sorted. */
const accessModeNames = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Validates the access modes of a claim or a volume. */
export function accessModes(modes: Field<string[]>): void {
  const all = modes.value ?? [];
  for (const mode of all) if (!accessModeNames.includes(mode)) modes.notSupported(accessModeNames, mode);
  const known = all.filter(mode => accessModeNames.includes(mode));
  if (known.includes('ReadWriteOncePod') && known.some(mode => mode !== 'ReadWriteOncePod'))
    modes.forbidden('may not use ReadWriteOncePod with other access modes');
}

export const volumeModes = ['Block', 'Filesystem'];

/** Validates the spec of a new claim. as pkg/apis/core/validation ValidatePersistentVolumeClaimSpec */
export function claimSpec(spec: Field<PersistentVolumeClaimSpec>, options: ClaimOptions = {}): void {
  const { dataSource, dataSourceRef } = spec.value ?? {};
  const modes = spec.at('accessModes');
  if (modes.isEmpty) modes.required('at least 1 access mode is required');
  spec.add(
    ...labelSelectorFaults(spec.value?.selector as LabelSelector | undefined, spec.at('selector'), {
      allowInvalidValues: options.allowBadSelectors ?? false,
    }),
  );
  accessModes(modes);
  storageSize(spec);
  const storageClass = spec.at('storageClassName');
  if (!storageClass.isEmpty) dnsSubdomain(storageClass);
  const mode = spec.at('volumeMode');
  if (mode.isSet && !volumeModes.includes(mode.value ?? '')) mode.notSupported(volumeModes);
  if (dataSource) sourceOfData(spec.at('dataSource'), options);
  if (dataSourceRef) {
    sourceOfData(spec.at('dataSourceRef'), options);
    const reference: Field<TypedObjectReference> = spec.at('dataSourceRef');
    const namespace = reference.at('namespace');
    if (!namespace.isEmpty) namespace.check(checkDns1123Label);
  }
  // Upstream prints a path as the value: an object without public fields.
  const shown = {};
  if (dataSource && dataSourceRef?.namespace)
    spec.invalid('may not be specified when dataSourceRef.namespace is specified', shown);
  else if (dataSource && dataSourceRef && !sameSource(dataSource, dataSourceRef))
    spec.invalid('must match dataSourceRef', shown);
  const attributes = spec.at('volumeAttributesClassName');
  if (!attributes.isEmpty) dnsSubdomain(attributes);
}

function storageSize(spec: Field<PersistentVolumeClaimSpec>): void {
  const requests = spec.at('resources').at('requests');
  const size = requests.entry('storage').as(spec.at('resources').path + '[storage]');
  if (!size.isSet) size.required();
  else if (size.passes(() => positiveQuantity(size))) resourceQuantity('storage', size);
}

function sameSource(a: TypedLocalObjectReference, b: TypedObjectReference): boolean {
  return (a.apiGroup ?? null) === (b.apiGroup ?? null) && a.kind === b.kind && a.name === b.name;
}

function sourceOfData(source: Field<TypedLocalObjectReference>, options: ClaimOptions): void {
  notEmpty(source.at('name'), source.at('kind'));
  const apiGroup = source.at('apiGroup').value ?? '';
  const kind = source.value?.kind ?? '';
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim')
    source.invalid("must be 'PersistentVolumeClaim' when referencing the default apiGroup", kind);
  if (apiGroup !== '' && !options.allowBadSourceGroups) source.at('apiGroup').check(checkDns1123Subdomain);
}

/** Fields of ObjectMeta in the order of their declaration. */
const metadataFields = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

/** The metadata of a template has only labels and annotations. */
// as pkg/apis/core/validation ValidateTemplateObjectMeta
export function templateMetadata(
  metadata: Field<{ labels?: Record<string, string>; annotations?: Record<string, string> }>,
): void {
  metadata.add(...annotationFaults(metadata.value?.annotations, metadata.at('annotations')));
  metadata.add(...labelFaults(metadata.value?.labels, metadata.at('labels')));
  const fields = metadata as Field<Record<string, unknown>>;
  for (const name of metadataFields) {
    const field = fields.at(name);
    const shown = name === 'uid' ? 'uID' : name;
    if (!field.isEmpty) field.named(metadata, shown).forbidden('cannot be set');
  }
}

/** Validates the template of a claim. as pkg/apis/core/validation ValidatePersistentVolumeClaimTemplate */
export function claimTemplate(template: Field<PersistentVolumeClaimTemplate>): void {
  templateMetadata(template.at('metadata'));
  claimSpec(template.at('spec'));
}
