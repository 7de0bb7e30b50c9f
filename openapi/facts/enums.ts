import { readTable } from './read.js';
import type { EnumsTable } from './tables.js';

let table: EnumsTable | undefined;

/**
 * The values that a field of a native type may have; of a list or a map: each of its items. Clients are told them in OpenAPI; what is taken is decided
 * by the rules of the kinds, and `nativeSchema` does not have them.
 */
export function nativeEnum(typeName: string, field: string): readonly string[] | undefined {
  table ??= readTable('enums.json') as EnumsTable;
  const fields = Object.hasOwn(table, typeName) ? table[typeName] : undefined;
  return fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
