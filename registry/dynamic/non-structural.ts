/** Reports definitions with non-structural schemas, which an older server accepted. Such a definition cannot be written any more. */
// as apiextensions-apiserver/pkg/controller/nonstructuralschema calculateCondition
import type { InSteps } from '../../lib/time-slice.js';
import { append } from '../../lib/collections/append.js';
import { child, index, invalidValue } from '../../apimachinery/errors/faults.js';
import { faultsText } from '../../apimachinery/errors/status.js';
import { structuralFaults } from '../../openapi/schema/structural.js';
import { unsupportedSteps } from '../../openapi/schema/unsupported.js';
import type { CrdCondition, CustomResourceDefinition } from './crd.js';

type NewCondition = Required<Omit<CrdCondition, 'lastTransitionTime'>>;

export const nonStructural = 'NonStructuralSchema';

/** Returns the condition of a definition, in steps; undefined if its schemas are structural. */
export function* structureCondition({ spec }: CustomResourceDefinition): InSteps<NewCondition | undefined> {
  const faults = spec.preserveUnknownFields ? [invalidValue('spec.preserveUnknownFields', true, 'must be false')] : [];
  for (const [i, { name, schema }] of spec.versions.entries()) {
    const props = schema?.openAPIV3Schema;
    if (!props) continue;
    const unsupported = yield* unsupportedSteps(props);
    if (unsupported !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${unsupported}`;
      return { type: nonStructural, status: 'Unknown', reason: 'StructuralError', message };
    }
    const at = child(index('spec.versions', i), 'schema', 'openAPIV3Schema');
    append(faults, yield* structuralFaults(props, at));
  }
  if (faults.length === 0) return undefined;
  return { type: nonStructural, status: 'True', reason: 'Violations', message: faultsText(faults) };
}
