// as pkg/apis/core/validation ValidatePersistentVolumeClaim, -Update, -StatusUpdate
import { sameValue } from '../../../../registry/strategy/same-value.js';
import { labelSelectorFaults } from '../../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../../apimachinery/selectors/label-selectors.js';
import { checkQualifiedName } from '../../../../apimachinery/meta/names.js';
import { compareQuantities, parseQuantity } from '../../../../apimachinery/quantity/quantity.js';
import type { Validate } from '../../../../registry/interface.js';
import { type Field, annotationsOf } from '../../../shared/rules/field.js';
import { immutable } from '../../../shared/rules/immutable.js';
import { prettyInternal } from '../../../shared/go-text/internal-json.js';
import { isNativeResource } from '../../../shared/rules/resource-names.js';
import { unifiedDiff } from '../../../shared/go-text/unified-diff.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../api/kubernetes/core.js';
import { type ClaimOptions, claimSpec } from './claim-rules.js';
import { basicQuantity, resourceQuantity } from '../shared/resource-rules.js';
import { betaStorageClassAnnotation } from '../../../../api/kubernetes/well-known.js';

type Amounts = Field<Record<string, string | number>>;

/** Errors that the stored claim already has are accepted. */
function claimOptions(old: PersistentVolumeClaim | undefined): ClaimOptions {
  const { selector, dataSource, dataSourceRef } = old?.spec ?? {};
  return {
    allowBadSelectors: labelSelectorFaults(selector as LabelSelector | undefined, '').length > 0,
    allowBadSourceGroups: [dataSource, dataSourceRef].some(source => typeof source?.apiGroup === 'string'),
  };
}

/** Reports whether the storage class moves from the annotation into its field, or is set for the first time. */
function setsClass(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const annotation = old.metadata.annotations?.[betaStorageClassAnnotation];
  const name = claim.spec?.storageClassName;
  if (name === undefined || old.spec?.storageClassName !== undefined) return false;
  return annotation === undefined || annotation === name;
}

function annotationMoves(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const before = old.metadata.annotations?.[betaStorageClassAnnotation];
  const now = claim.metadata.annotations?.[betaStorageClassAnnotation];
  return before !== undefined && setsClass(claim, old) && (now === undefined || now === before);
}

/** Returns both specs without the mutable fields. */
function compared(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): { now: PersistentVolumeClaimSpec; before: PersistentVolumeClaimSpec } {
  const now: PersistentVolumeClaimSpec = structuredClone(claim.spec ?? {});
  const before: PersistentVolumeClaimSpec = structuredClone(old.spec ?? {});
  if (!before.volumeName && now.volumeName) before.volumeName = now.volumeName;
  if (setsClass(claim, old)) delete now.storageClassName;
  if (claim.status?.phase !== 'Bound') return { now, before };
  const size = before.resources?.requests?.['storage'];
  if (now.resources?.requests) now.resources.requests['storage'] = size ?? '0';
  if (before.volumeAttributesClassName === undefined) delete now.volumeAttributesClassName;
  else now.volumeAttributesClassName = before.volumeAttributesClassName;
  return { now, before };
}

function change(claim: Field<PersistentVolumeClaim>, old: PersistentVolumeClaim): void {
  const value = claim.value ?? old;
  const spec = claim.at('spec');
  if (!annotationMoves(value, old)) {
    const annotation = annotationsOf(claim)
      .entry(betaStorageClassAnnotation)
      .as(`metadata.annotations.${betaStorageClassAnnotation}`);
    const [now, before] = [annotation, old.metadata.annotations?.[betaStorageClassAnnotation]];
    if ((now.value ?? '') !== (before ?? '')) now.invalid('field is immutable', now.value ?? '');
  }
  const { now, before } = compared(value, old);
  if (!sameValue(now, before, spec.type)) {
    const [a, b] = [before, now].map(s => prettyInternal('PersistentVolumeClaimSpec', s));
    spec.forbidden(
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${unifiedDiff(a ?? '', b ?? '')}`,
    );
  }
  size(spec, old);
  immutable(spec.at('volumeMode').as('volumeMode'), old.spec?.volumeMode);
  attributes(spec, old);
}

function size(spec: Field<PersistentVolumeClaimSpec>, old: PersistentVolumeClaim): void {
  const requests: Amounts = spec.at('resources').at('requests');
  const amount = (text: string | number | undefined) => parseQuantity(text ?? 0);
  const now = amount(requests.value?.['storage']);
  if (compareQuantities(now, amount(old.spec?.resources?.requests?.['storage'])) >= 0) return;
  if (compareQuantities(now, amount(old.status?.capacity?.['storage'])) <= 0)
    requests.as(`${requests.path}.storage`).forbidden('field can not be less than status.capacity');
}

function attributes(spec: Field<PersistentVolumeClaimSpec>, old: PersistentVolumeClaim): void {
  const field = spec.at('volumeAttributesClassName');
  if (field.value === old.spec?.volumeAttributesClassName) return;
  if (old.status?.currentVolumeAttributesClassName === undefined) return;
  const tail = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  if (!field.isSet) field.forbidden(`update to nil ${tail}`);
  else if (field.isEmpty) field.forbidden(`update to empty string ${tail}`);
}

export const claimRules: readonly Validate[] = [
  validate<PersistentVolumeClaim>((claim, old) => claimSpec(claim.at('spec'), claimOptions(old))),
];

export const claimChangeRules: readonly Validate[] = [...claimRules, validateChange<PersistentVolumeClaim>(change)];

/** Sorted. */
const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

/** The only allocatable resource of Kubernetes itself is storage. */
function resourceKey(name: string, at: Field<unknown>): boolean {
  return at.passes(() => {
    const texts = checkQualifiedName(name);
    for (const text of texts) at.invalid(text, name);
    if (texts.length === 0 && isNativeResource(name) && name !== 'storage') at.notSupported(['storage'], name);
  });
}

export const claimStatusRules: readonly Validate[] = [
  validateChange<PersistentVolumeClaim>(claim => {
    if (claim.at('spec').at('accessModes').isEmpty) claim.as('Spec.accessModes').required();
    const status = claim.at('status');
    const capacity: Amounts = status.at('capacity');
    const allocated: Amounts = status.at('allocatedResources');
    for (const [, amount] of capacity.entries()) basicQuantity(amount);
    const states = status.at('allocatedResourceStatuses');
    for (const [name, state] of states.entries()) {
      resourceKey(name, states);
      if (!resizeStates.includes(state.value ?? '')) states.notSupported(resizeStates, name);
    }
    for (const [name, amount] of allocated.entries()) {
      if (!resourceKey(name, allocated)) continue;
      if (amount.passes(() => basicQuantity(amount))) resourceQuantity('storage', amount);
    }
  }),
];
