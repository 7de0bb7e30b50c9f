import type { KubeObject } from '../../../apimachinery/interface.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import type { DependentReference } from '../interface.js';
import { fieldAt, fieldIfAny, namespaceOf } from './read.js';

/** Returns a reference to an object of the core API in the namespace of `object`. Throws if the name is no string, or empty. */
export function referenceTo(object: KubeObject, kind: string, name: unknown): DependentReference {
  if (typeof name !== 'string' || name === '') throw new ExpectedError(`a reference to a ${kind} has no name`);
  const namespace = namespaceOf(object);
  return { apiVersion: 'v1', kind, ...(namespace && { namespace }), name };
}

/** Returns a reference to an object, or none if the name is empty. */
const unlessEmpty = (object: KubeObject, kind: string, name: unknown): DependentReference[] =>
  name === '' ? [] : [referenceTo(object, kind, name)];

/** Returns a reference to the Secret that a field of the spec, or a field in it, names. Throws without a spec. */
export function secretInSpec(object: KubeObject, field: string, ...rest: readonly string[]): DependentReference[] {
  const reference = fieldIfAny(fieldAt(object, 'spec', field), ...rest);
  return reference === undefined ? [] : unlessEmpty(object, 'Secret', fieldAt(reference, 'name'));
}

/** Returns a reference to the ServiceAccount in `spec.serviceAccountName`. Throws without a name; an empty one refers to none. */
export const serviceAccountInSpec = (object: KubeObject): DependentReference[] =>
  unlessEmpty(object, 'ServiceAccount', fieldAt(object, 'spec', 'serviceAccountName'));
