/** What is wrong with the schema of a version (CRD-020 to CRD-024). */
import type { Fault } from '../../openapi/interface.js';
import { child, forbiddenField, invalidValue } from '../../openapi/meta/faults.js';
import type { Schema } from '../../openapi/schema/interface.js';
import type { Spec } from './crd.js';

export interface SchemaContext {
  /** Some version has the status subresource. */
  readonly hasStatus: boolean;
  /** The spec that stands, on an update. */
  readonly old: Spec | undefined;
}

/** `path`: of the schema. */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation validateCustomResourceDefinitionValidation
export function schemaFaults(schema: Schema, path: string, { hasStatus }: SchemaContext): Fault[] {
  const faults: Fault[] = [];
  if (hasStatus && schema.type !== 'object') {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    faults.push(invalidValue(child(path, 'type'), schema.type ?? '', text));
  }
  if (schema.nullable) faults.push(forbiddenField(child(path, 'nullable'), 'nullable cannot be true at the root'));
  return faults;
}
