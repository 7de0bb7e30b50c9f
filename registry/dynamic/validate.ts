/** Finds what is wrong with a CustomResourceDefinition. */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation
import type { Fault, KubeObject } from '../../apimachinery/interface.js';
import { index, invalidValue, key, required } from '../../apimachinery/errors/faults.js';
import type { Validate } from '../interface.js';
import { approvalAnnotation, approvalOf, isProtectedGroup } from './approval.js';
import { type CustomResourceDefinition, asDefinition, isTrue } from './crd.js';
import { nameFaults, namesFaults } from './name-faults.js';
import { specFaults } from './spec-faults.js';

/** For `validateCreate`. */
export const validateDefinition: Validate = object => {
  const crd = asDefinition(object);
  return [
    ...nameFaults(crd),
    ...specFaults(crd, undefined),
    ...namesFaults(crd.status?.acceptedNames, 'status.acceptedNames'),
    ...storedVersionFaults(crd),
    ...approvalFaults(crd, undefined),
    ...preserveFaults(crd, undefined),
  ];
};

/** For `validateUpdate`. */
export const validateDefinitionUpdate: Validate = (object, stored) => {
  const crd = asDefinition(object);
  const old = stored && asDefinition(stored);
  return [
    ...specFaults(crd, old),
    ...immutableFaults(crd, old),
    ...namesFaults(crd.status?.acceptedNames, 'status.acceptedNames'),
    ...storedVersionFaults(crd),
    ...approvalFaults(crd, old),
    ...preserveFaults(crd, old),
  ];
};

/** For `validateUpdate` of `/status`. */
export const validateDefinitionStatus: Validate = (object: KubeObject) =>
  namesFaults(asDefinition(object).status?.acceptedNames, 'status.acceptedNames');

function immutableFaults({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  if (!old) return [];
  const faults: Fault[] = [];
  const same = (path: string, value: string, before: string): void => {
    if (value !== before) faults.push(invalidValue(path, value, 'field is immutable'));
  };
  if (isTrue(old, 'Established')) {
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
  for (const { name, storage } of spec.versions)
    if (storage && !stored.includes(name))
      faults.push(invalidValue(path, stored, `must have the storage version ${name}`));
  stored.forEach((name, i) => {
    if (stored.lastIndexOf(name) > i || spec.versions.some(version => version.name === name)) return;
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
