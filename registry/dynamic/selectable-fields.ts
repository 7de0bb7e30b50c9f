/** What is wrong with the fields that objects can be selected by (CRD-036). */
import type { Fault } from '../../openapi/interface.js';
import { child, duplicate, index, invalidValue, required, tooMany } from '../../openapi/meta/faults.js';
import type { Schema } from '../../openapi/schema/interface.js';

const most = 8;
const leaves = ['string', 'boolean', 'integer'];

// as apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceSelectableFields
export function selectableFieldFaults(
  fields: readonly { readonly jsonPath: string }[],
  schema: Schema | undefined,
  path: string,
): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  fields.forEach(({ jsonPath }, i) => {
    const at = child(index(path, i), 'jsonPath');
    if (!jsonPath) return void faults.push(required(at));
    const found = schemaAt(schema, jsonPath);
    if (typeof found === 'string') return void faults.push(invalidValue(at, jsonPath, `is an invalid path: ${found}`));
    if (!leaves.includes(found.type ?? '')) {
      const text =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      faults.push(invalidValue(at, jsonPath, text));
    }
    if (seen.has(jsonPath)) faults.push(duplicate(at, jsonPath));
    seen.add(jsonPath);
  });
  if (seen.size > most) faults.push(tooMany(path, seen.size, most));
  return faults;
}

/** The schema that a path leads to, or why it leads nowhere. */
// as apiextensions-apiserver/pkg/apiserver/schema/cel ValidFieldPath
function schemaAt(schema: Schema | undefined, path: string): Schema | string {
  if (!/^\./.test(path)) return `expected . but got: "${path.charAt(0)}" at position 0`;
  let at = schema;
  for (const name of path.slice(1).split('.')) {
    const array = /^(.*?)\[(.*)\]$/.exec(name);
    if (array?.[2] !== undefined && !/^'.*'$/.test(array[2])) return 'array notation is not allowed';
    const properties = at?.properties;
    at = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!at) return 'does not refer to a valid field';
  }
  return at ?? 'does not refer to a valid field';
}
