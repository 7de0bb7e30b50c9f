import { readTable } from './read.js';
import type { EnumsTable } from './tables.js';

let table: EnumsTable | undefined;

/**
 * Returns the allowed values of a field of a native type, or of the items if it is a list or a map; undefined if it has no enum. They are
 * published in OpenAPI. Validation is done by the rules of the kinds, and `nativeSchema` has no enums.
 */
export function nativeEnum(typeName: string, field: string): readonly string[] | undefined {
  table ??= readTable('enums.json') as EnumsTable;
  const fields = Object.hasOwn(table, typeName) ? table[typeName] : undefined;
  return fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
