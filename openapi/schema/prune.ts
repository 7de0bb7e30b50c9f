/** Pruning: removes fields that a structural schema does not declare. as apiextensions-apiserver/pkg/apiserver/schema/pruning */
import type { Schema } from '../../apimachinery/codec/interface.js';

type Plain = Record<string, unknown>;

/** The fields of every object, which its schema need not declare. */
const typeFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

interface PruneOptions {
  /** The value is a whole object, whose apiVersion, kind and metadata are not pruned. */
  readonly root?: boolean;
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const subSchema = (value: Schema | boolean | undefined): Schema | undefined =>
  typeof value === 'object' ? value : undefined;

/** Returns the schema of a key; null if it is not declared. `additionalProperties` without a schema allows the key, but no fields in it. */
function schemaOf(schema: Schema, name: string): Schema | undefined | null {
  if (schema.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return schema.additionalProperties === undefined ? null : subSchema(schema.additionalProperties);
}

interface Walk {
  readonly unknown: string[];
}

function pruneObject(object: Plain, schema: Schema | undefined, path: string, walk: Walk, embedded: boolean): void {
  for (const name of Object.keys(object)) {
    if (embedded && typeFields.has(name)) continue;
    const found = schema ? schemaOf(schema, name) : null;
    if (found !== null) {
      const value = object[name];
      if (typeof value === 'object' && value !== null) pruneValue(value, found, join(path, name), walk);
      continue;
    }
    if (!schema || path !== '' || !typeFields.has(name)) walk.unknown.push(join(path, name));
    delete object[name];
  }
}

/** Prunes only the declared fields of a value below x-kubernetes-preserve-unknown-fields. */
function pruneDeclared(value: object, schema: Schema, path: string, walk: Walk): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    value.forEach((item: unknown, i) => {
      if (typeof item === 'object' && item !== null) pruneDeclared(item, items, `${path}[${i}]`, walk);
    });
    return;
  }
  const object = value as Plain;
  for (const name of Object.keys(object)) {
    if (schema['x-kubernetes-embedded-resource'] && typeFields.has(name)) continue;
    const found = schemaOf(schema, name);
    const inner = object[name];
    if (found !== null && typeof inner === 'object' && inner !== null) pruneValue(inner, found, join(path, name), walk);
  }
}

function pruneValue(value: object, schema: Schema | undefined, path: string, walk: Walk): void {
  if (schema?.['x-kubernetes-preserve-unknown-fields']) return pruneDeclared(value, schema, path, walk);
  if (!Array.isArray(value)) {
    const embedded = schema?.['x-kubernetes-embedded-resource'] === true;
    return pruneObject(value as Plain, schema, path, walk, embedded);
  }
  for (let i = 0; i < value.length; i++) {
    const item: unknown = value[i];
    if (typeof item === 'object' && item !== null) pruneValue(item, schema?.items, `${path}[${i}]`, walk);
  }
}

/** Removes unknown fields from a value in place. Returns their paths, sorted. */
export function prune(value: unknown, schema: Schema | undefined, options: PruneOptions = {}): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const walk: Walk = { unknown: [] };
  if (options.root && !schema?.['x-kubernetes-embedded-resource'])
    pruneValue(value, { ...schema, 'x-kubernetes-embedded-resource': true }, '', walk);
  else pruneValue(value, schema, '', walk);
  return walk.unknown.sort();
}
