/** What a strategic merge patch must know of a field, from its schema. */
import { plainError } from '../../errors/status.js';
import type { Schema } from '../../codec/interface.js';

export interface PatchMeta {
  /** Of the field's value; for lists, of their elements. Undefined: nothing is known. */
  readonly schema: Schema | undefined;
  /** 'merge', 'replace' or ''; retainKeys is a matter of the patch alone. */
  readonly strategy: string;
  readonly mergeKey: string;
}

/** The kind of the Go type behind a schema. */
export function goKindOf(schema: Schema | undefined): string {
  if (schema?.type === 'array') return 'slice';
  if (schema?.properties || schema?.typeName !== undefined) return 'struct';
  if (schema?.type === 'object') return 'map';
  return schema?.type === 'string' ? 'string' : 'interface';
}

function fieldOf(schema: Schema | undefined, key: string): Schema {
  const kind = goKindOf(schema);
  if (kind !== 'struct') throw plainError(`merging an object in json but data type is not struct, instead is: ${kind}`);
  // types that write themselves (RawExtension, JSON, the alternatives of JSON schemas) have no fields of their own
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

/** Of a field that holds an object. Errors: 500 for fields that the type does not have. */
export function objectMeta(schema: Schema | undefined, key: string): PatchMeta {
  const field = fieldOf(schema, key);
  return metaOf(field, field);
}

/** Of a field that holds a list. Errors: 500 for fields that the type does not have, or that are no lists. */
export function listMeta(schema: Schema | undefined, key: string): PatchMeta {
  const field = fieldOf(schema, key);
  if (field.type !== 'array') throw plainError('expected slice or array type, but got: struct');
  if (field.items?.type === 'array') throw plainError('unexpected slice of slice');
  return metaOf(field, field.items);
}
