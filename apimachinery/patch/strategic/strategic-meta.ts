/** Reads from a schema how a strategic merge patch merges a field. */
import { plainError } from '../../errors/status.js';
import type { Schema } from '../../codec/interface.js';

export interface PatchMeta {
  /** The schema of the field's value; for a list that of its elements. Undefined if there is none. */
  readonly schema: Schema | undefined;
  /** 'merge', 'replace' or ''. retainKeys is left out, since it only concerns the patch. */
  readonly strategy: string;
  readonly mergeKey: string;
}

/** Returns the reflect.Kind of the Go type of a schema. */
export function goKindOf(schema: Schema | undefined): string {
  if (schema?.type === 'array') return 'slice';
  if (schema?.properties || schema?.typeName !== undefined) return 'struct';
  if (schema?.type === 'object') return 'map';
  return schema?.type === 'string' ? 'string' : 'interface';
}

function fieldOf(schema: Schema | undefined, key: string): Schema {
  const kind = goKindOf(schema);
  if (kind !== 'struct') throw plainError(`merging an object in json but data type is not struct, instead is: ${kind}`);
  // Types with a MarshalJSON (RawExtension, JSON, the alternatives of JSON schemas) have no fields.
  const fields = schema?.type === 'object' && schema.scalar === undefined ? (schema.properties ?? {}) : {};
  const exact = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (exact) return exact;
  const folded = Object.keys(fields).find(name => name.toLowerCase() === key.toLowerCase());
  const found = folded === undefined ? undefined : fields[folded];
  if (found) return found;
  const name = schema?.typeName?.split('.').at(-1) ?? '';
  throw plainError(`unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`);
}

function metaOf(field: Schema, schema: Schema | undefined): PatchMeta {
  const strategies = (field['x-kubernetes-patch-strategy'] ?? '').split(',').filter(s => s !== 'retainKeys');
  return { schema, strategy: strategies[0] ?? '', mergeKey: field['x-kubernetes-patch-merge-key'] ?? '' };
}

/** Returns the meta of a field that contains an object. Errors: 500 for an unknown field. */
export function objectMeta(schema: Schema | undefined, key: string): PatchMeta {
  const field = fieldOf(schema, key);
  return metaOf(field, field);
}

/** Returns the meta of a field that contains a list. Errors: 500 for an unknown field, and for one that is not a list. */
export function listMeta(schema: Schema | undefined, key: string): PatchMeta {
  const field = fieldOf(schema, key);
  if (field.type !== 'array') throw plainError('expected slice or array type, but got: struct');
  if (field.items?.type === 'array') throw plainError('unexpected slice of slice');
  return metaOf(field, field.items);
}
