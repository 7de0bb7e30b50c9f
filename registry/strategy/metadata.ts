/** Validates the metadata of objects. as apimachinery/pkg/api/validation ValidateObjectMeta */
import type {
  Fault,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import {
  child,
  forbiddenField,
  index,
  invalidValue,
  fieldPathText,
  type FieldPath,
  required,
  tooLong,
} from '../../apimachinery/errors/faults.js';
import { goQuote } from '../../lib/go/go-text.js';
import { isEnough, maxFaults, shortenedValue } from '../../apimachinery/errors/limits.js';
import { once } from '../../lib/collections/once.js';
import { labelFaults } from '../../apimachinery/selectors/label-faults.js';
import {
  byteLength,
  checkDns1123Label,
  checkPathSegmentName,
  checkPathSegmentPrefix,
  checkQualifiedName,
} from '../../apimachinery/meta/names.js';

export const annotationsMaxBytes = 256 * 1024;
const fieldManagerMaxLength = 128;
const subresourceMaxLength = 256;
export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';
const standardFinalizers: ReadonlySet<string> = new Set([orphanFinalizer, foregroundFinalizer, 'kubernetes']);

type NameFaults = (name: string, prefix: boolean) => readonly string[];

interface MetadataRules {
  readonly namespaced: boolean;
  readonly nameFaults: NameFaults;
}

/** Returns the faults of a name by the minimal rule: a name is one segment of a path. */
export const pathSegmentFaults: NameFaults = (name, prefix) =>
  prefix ? checkPathSegmentPrefix(name) : checkPathSegmentName(name);

/** Returns the faults of the metadata of a new or changed object; `path` differs for embedded objects. */
// as apimachinery/pkg/api/validation ValidateObjectMetaAccessor
export function metadataFaults(metadata: ObjectMeta, rules: MetadataRules, path = 'metadata'): Fault[] {
  const faults: Fault[] = [];
  const { name = '', generateName = '', generation = 0 } = metadata;
  if (generateName !== '')
    for (const text of rules.nameFaults(generateName, true))
      faults.push(invalidValue(child(path, 'generateName'), generateName, text));
  if (name === '') faults.push(required(child(path, 'name'), 'name or generateName is required'));
  else for (const text of rules.nameFaults(name, false)) faults.push(invalidValue(child(path, 'name'), name, text));
  namespaceFaults(metadata.namespace ?? '', rules.namespaced, child(path, 'namespace'), faults);
  if (generation < 0)
    faults.push(invalidValue(child(path, 'generation'), generation, 'must be greater than or equal to 0'));
  append(faults, labelFaults(metadata.labels, child(path, 'labels')));
  append(faults, annotationFaults(metadata.annotations, child(path, 'annotations')));
  ownerFaults(metadata.ownerReferences, child(path, 'ownerReferences'), faults);
  finalizerFaults(metadata.finalizers, child(path, 'finalizers'), faults);
  managedFieldsFaults(metadata.managedFields, child(path, 'managedFields'), faults);
  return faults;
}

/** Returns the faults of a change of metadata. */
// as apimachinery/pkg/api/validation ValidateObjectMetaAccessorUpdate
export function metadataUpdateFaults(metadata: ObjectMeta, old: ObjectMeta): Fault[] {
  const faults: Fault[] = [];
  if (old.deletionTimestamp !== undefined) newFinalizerFaults(metadata.finalizers, old.finalizers, faults);
  if (!metadata.resourceVersion)
    faults.push(invalidValue('metadata.resourceVersion', '', 'must be specified for an update'));
  if ((metadata.generation ?? 0) < (old.generation ?? 0))
    faults.push(invalidValue('metadata.generation', metadata.generation ?? 0, 'must not be decremented'));
  for (const field of immutable)
    if ((metadata[field] ?? '') !== (old[field] ?? ''))
      faults.push(invalidValue(`metadata.${field}`, metadata[field] ?? null, 'field is immutable'));
  append(faults, labelFaults(metadata.labels, 'metadata.labels'));
  append(faults, annotationFaults(metadata.annotations, 'metadata.annotations'));
  ownerFaults(metadata.ownerReferences, 'metadata.ownerReferences', faults);
  managedFieldsFaults(metadata.managedFields, 'metadata.managedFields', faults);
  return faults;
}

const immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Returns faults for finalizers of native kinds that are neither standard nor qualified with a domain. */
// as pkg/apis/core/validation validateKubeFinalizerName
export function plainFinalizerFaults(finalizers: readonly string[] | undefined): Fault[] {
  const faults: Fault[] = [];
  finalizers?.forEach((name, i) => {
    if (isEnough(faults)) return;
    const path = index('metadata.finalizers', i);
    if (!name.includes('/') && !standardFinalizers.has(name))
      faults.push(invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
  });
  return faults;
}

/** Returns warnings for new unqualified finalizers of custom resources, which are allowed there. */
// as apiextensions-apiserver/pkg/registry/customresource validateKubeFinalizerName
export function plainFinalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const before = new Set(old?.metadata.finalizers);
  const warnings: string[] = [];
  for (const name of object.metadata.finalizers ?? []) {
    if (before.has(name)) continue;
    const head = `metadata.finalizers: ${goQuote(name)}: `;
    for (const text of checkQualifiedName(name)) warnings.push(head + text);
    if (name.includes('/') || standardFinalizers.has(name)) continue;
    const path = name.includes('.') ? ' including a path (/)' : '';
    warnings.push(
      `${head}prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
  return warnings;
}

function namespaceFaults(namespace: string, namespaced: boolean, path: string, faults: Fault[]): void {
  if (!namespaced) {
    if (namespace !== '') faults.push(forbiddenField(path, 'not allowed on this type'));
  } else if (namespace === '') faults.push(required(path));
  else for (const text of checkDns1123Label(namespace)) faults.push(invalidValue(path, namespace, text));
}

/**
 * Returns the faults of the keys, and of the size of all annotations together, which is at most 256 KiB.
 * as apimachinery/pkg/api/validation ValidateAnnotations
 */
export function annotationFaults(annotations: Readonly<Record<string, string>> | undefined, place: FieldPath): Fault[] {
  const faults: Fault[] = [];
  let size = 0;
  for (const name in annotations) {
    if (isEnough(faults)) return faults;
    size += byteLength(name) + byteLength(annotations[name] ?? '');
    for (const text of checkQualifiedName(name.toLowerCase()))
      faults.push(invalidValue(fieldPathText(place), name, text));
  }
  if (size > annotationsMaxBytes) faults.push(tooLong(fieldPathText(place), annotationsMaxBytes));
  return faults;
}

function ownerFaults(owners: readonly OwnerReference[] | undefined, path: string, faults: Fault[]): void {
  let controller = '';
  const all = once(() => shortenedValue(owners?.map(declared)));
  for (const owner of owners ?? []) {
    if (isEnough(faults)) return;
    const slashes = (owner.apiVersion ?? '').split('/').length - 1;
    const version = slashes > 1 ? '' : (owner.apiVersion ?? '').slice((owner.apiVersion ?? '').indexOf('/') + 1);
    if (version === '')
      faults.push(invalidValue(child(path, 'apiVersion'), owner.apiVersion ?? '', 'version must not be empty'));
    for (const field of ['kind', 'name', 'uid'] as const)
      if (!owner[field]) faults.push(invalidValue(child(path, field), '', 'must not be empty'));
    if (owner.kind === 'Event' && owner.apiVersion === 'v1')
      faults.push(invalidValue(path, declared(owner), '/v1, Kind=Event is disallowed from being an owner'));
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === '') controller = name;
    else {
      const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      faults.push(invalidValue(path, all(), text));
    }
  }
}

/** Returns the fields in the order in which Go prints them. */
function declared(owner: OwnerReference): Partial<OwnerReference> {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion } as Partial<OwnerReference>;
}

function finalizerFaults(finalizers: readonly string[] | undefined, path: string, faults: Fault[]): void {
  for (const name of finalizers ?? []) {
    if (isEnough(faults)) return;
    for (const text of checkQualifiedName(name)) faults.push(invalidValue(path, name, text));
  }
  if (finalizers?.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    const text = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
    faults.push(invalidValue(path, finalizers, text));
  }
}

function newFinalizerFaults(finalizers: readonly string[] = [], old: readonly string[] = [], faults: Fault[]): void {
  const before = new Set(old);
  const extra = [...new Set(finalizers)].filter(name => !before.has(name)).sort();
  if (extra.length === 0) return;
  const list = `[]string{${extra.slice(0, maxFaults).map(goQuote).join(', ')}}`;
  const text = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  faults.push(forbiddenField('metadata.finalizers', text));
}

// as apimachinery/pkg/apis/meta/v1/validation ValidateManagedFields
function managedFieldsFaults(entries: readonly ManagedFieldsEntry[] | undefined, base: string, faults: Fault[]): void {
  entries?.forEach((entry, i) => {
    if (isEnough(faults)) return;
    const path = index(base, i);
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry as Record<string, string>;
    if (operation !== 'Apply' && operation !== 'Update')
      faults.push(invalidValue(child(path, 'operation'), operation, 'must be `Apply` or `Update`'));
    if (fieldsType !== '' && fieldsType !== 'FieldsV1')
      faults.push(invalidValue(child(path, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
    append(faults, fieldManagerFaults(manager, child(path, 'manager')));
    if (byteLength(subresource) > subresourceMaxLength)
      faults.push(tooLong(child(path, 'subresource'), subresourceMaxLength));
  });
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Returns the faults of a field manager's name; '' is valid and means none. */
// as apimachinery/pkg/apis/meta/v1/validation ValidateFieldManager
export function fieldManagerFaults(manager: string, path: string): Fault[] {
  const faults: Fault[] = [];
  if (byteLength(manager) > fieldManagerMaxLength) faults.push(tooLong(path, fieldManagerMaxLength));
  if (!unprintable.test(manager)) return faults;
  let at = 0;
  for (const rune of manager) {
    if (isEnough(faults)) break;
    if (unprintable.test(rune)) {
      const code = (rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      faults.push(invalidValue(path, manager, `invalid character U+${code} (at position ${at})`));
    }
    at += Buffer.byteLength(rune);
  }
  return faults;
}
