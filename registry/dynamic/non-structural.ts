/** Reports definitions that an older server accepted with schemas that say too little. Such a definition cannot be written any more. */
// as apiextensions-apiserver/pkg/controller/nonstructuralschema calculateCondition
import { child, index, invalidValue } from '../../apimachinery/errors/faults.js';
import { faultsText } from '../../apimachinery/errors/status.js';
import { unsupportedText } from '../../openapi/schema/schema-props.js';
import { structuralFaults } from '../../openapi/schema/structural.js';
import type { Condition, CustomResourceDefinition } from './crd.js';

type NewCondition = Required<Omit<Condition, 'lastTransitionTime'>>;

export const nonStructural = 'NonStructuralSchema';

/** Undefined: its schemas are structural. */
export function structureCondition({ spec }: CustomResourceDefinition): NewCondition | undefined {
  const faults = spec.preserveUnknownFields ? [invalidValue('spec.preserveUnknownFields', true, 'must be false')] : [];
  for (const [i, { name, schema }] of spec.versions.entries()) {
    const props = schema?.openAPIV3Schema;
    if (!props) continue;
    const unsupported = unsupportedText(props);
    if (unsupported !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${unsupported}`;
      return { type: nonStructural, status: 'Unknown', reason: 'StructuralError', message };
    }
    faults.push(...structuralFaults(props, child(index('spec.versions', i), 'schema', 'openAPIV3Schema')));
  }
  if (faults.length === 0) return undefined;
  return { type: nonStructural, status: 'True', reason: 'Violations', message: faultsText(faults) };
}
