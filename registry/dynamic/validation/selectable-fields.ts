/** Validates the selectable fields of a version. */
import type { Fault } from '../../../apimachinery/interface.js';
import { child, duplicate, index, invalidValue, required, tooMany } from '../../../apimachinery/errors/faults.js';
import { readFieldPath } from '../../../openapi/schema/field-path.js';
import type { SchemaProps } from '../../../openapi/schema/schema-props.js';

const maxFields = 8;
const leaves = ['string', 'boolean', 'integer'];

/** Returns the faults of selectable fields. `anyNumber` allows unchanged ones, whose number was not limited before. */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceSelectableFields
export function selectableFieldFaults(
  fields: readonly { readonly jsonPath: string }[],
  schema: SchemaProps,
  { path, anyNumber }: { readonly path: string; readonly anyNumber: boolean },
): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  fields.forEach(({ jsonPath }, i) => {
    const at = child(index(path, i), 'jsonPath');
    if (!jsonPath) return void faults.push(required(at));
    const found = readFieldPath(jsonPath, schema, { brackets: false });
    if ('error' in found) return void faults.push(invalidValue(at, jsonPath, `is an invalid path: ${found.error}`));
    if (found.path.split('.')[0] === 'metadata')
      faults.push(invalidValue(at, jsonPath, 'must not point to fields in metadata'));
    if (!leaves.includes(found.schema?.type ?? '')) {
      const text =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      faults.push(invalidValue(at, jsonPath, text));
    }
    if (seen.has(found.path)) faults.push(duplicate(at, jsonPath));
    seen.add(found.path);
  });
  if (seen.size > maxFields && !anyNumber) faults.push(tooMany(path, seen.size, maxFields));
  return faults;
}
