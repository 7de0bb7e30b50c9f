/** Validates what storage classes pass to their drivers. */
// as pkg/apis/storage/validation validateProvisioner, validateParameters
import { checkQualifiedName } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';

const maxParameters = 512;
const maxBytes = 256 * 1024;

/** Requires a qualified name, in which capitals are accepted. as pkg/apis/storage/validation validateProvisioner */
export function provisioner(field: Field<string>): void {
  if (field.isEmpty) field.required();
  else
    for (const text of checkQualifiedName((field.value ?? '').toLowerCase()))
      field.invalid(text, (field.value ?? '').toLowerCase());
}

/** Limits number and size of the parameters. as pkg/apis/storage/validation validateParameters */
export function parameters(field: Field<Record<string, string>>, allowNone: boolean): void {
  const entries = Object.entries(field.value ?? {});
  if (entries.length > maxParameters) {
    field.tooLong(maxParameters);
    return;
  }
  let bytes = 0;
  for (const [name, value] of entries) {
    if (name === '') field.invalid('field can not be empty.', name);
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (bytes > maxBytes) field.tooLong(maxBytes);
  if (!allowNone && entries.length === 0) field.required('must contain at least one key/value pair');
}
