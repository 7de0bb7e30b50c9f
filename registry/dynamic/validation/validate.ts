/** Validates CustomResourceDefinitions. */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation
import { inTimeSlices, type InSteps } from '../../../lib/time-slice.js';
import type { Fault, KubeObject } from '../../../apimachinery/interface.js';
import { append } from '../../../lib/collections/append.js';
import { index, invalidValue, key, required } from '../../../apimachinery/errors/faults.js';
import { isEnough } from '../../../apimachinery/errors/limits.js';
import type { LongValidate, Validate } from '../../interface.js';
import { approvalAnnotation, approvalOf, isProtectedGroup } from '../approval.js';
import { type CustomResourceDefinition, asDefinition, crdHasCondition } from '../crd.js';
import { nameFaults, namesFaults } from './name-faults.js';
import { specFaults } from './spec-faults.js';

/** Returns the faults of a definition, in steps. `stored` is the old one; undefined for a new definition. */
export function* definitionFaults(object: KubeObject, stored: KubeObject | undefined): InSteps<Fault[]> {
  const crd = asDefinition(object);
  const old = stored && asDefinition(stored);
  const faults: Fault[] = [];
  if (!old) append(faults, nameFaults(crd));
  append(faults, yield* specFaults(crd, old));
  append(faults, immutableFaults(crd, old));
  append(faults, namesFaults(crd.status?.acceptedNames, 'status.acceptedNames'));
  append(faults, storedVersionFaults(crd));
  append(faults, approvalFaults(crd, old));
  append(faults, preserveFaults(crd, old));
  return faults;
}

/** Validates a definition, in steps, since schemas are large: the rule for `validateLong`. */
export const validateDefinition: LongValidate = (_found, object, old) => inTimeSlices(definitionFaults(object, old));

/** Validates an update of `/status`: the rule for `validateUpdate`. */
export const validateDefinitionStatus: Validate = (object: KubeObject) =>
  namesFaults(asDefinition(object).status?.acceptedNames, 'status.acceptedNames');

function immutableFaults({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  if (!old) return [];
  const faults: Fault[] = [];
  const same = (path: string, value: string, before: string): void => {
    if (value !== before) faults.push(invalidValue(path, value, 'field is immutable'));
  };
  if (crdHasCondition(old, 'Established')) {
    same('spec.scope', spec.scope, old.spec.scope);
    same('spec.names.kind', spec.names.kind, old.spec.names.kind);
  }
  same('spec.group', spec.group, old.spec.group);
  same('spec.names.plural', spec.names.plural, old.spec.names.plural);
  return faults;
}

function storedVersionFaults({ spec, status }: CustomResourceDefinition): Fault[] {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0)
    return [invalidValue(path, status?.storedVersions ?? null, 'must have at least one stored version')];
  const faults: Fault[] = [];
  const names = new Set(spec.versions.map(({ name }) => name));
  const last = new Map(stored.map((name, i) => [name, i]));
  for (const { name, storage } of spec.versions)
    if (storage && !last.has(name)) faults.push(invalidValue(path, stored, `must have the storage version ${name}`));
  stored.forEach((name, i) => {
    if (last.get(name) !== i || names.has(name) || isEnough(faults)) return;
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    faults.push(invalidValue(index(path, i), name, text));
  });
  return faults;
}

function approvalFaults(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  if (!isProtectedGroup(crd.spec.group)) return [];
  const { state, reason } = approvalOf(crd.metadata.annotations);
  if (old && approvalOf(old.metadata.annotations).state === state) return [];
  const path = key('metadata.annotations', approvalAnnotation);
  if (state === 'missing') return [required(path, reason)];
  if (state === 'invalid') return [invalidValue(path, crd.metadata.annotations?.[approvalAnnotation] ?? '', reason)];
  return [];
}

function preserveFaults({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  if (!spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return [];
  const text =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalidValue('spec.preserveUnknownFields', true, text)];
}
