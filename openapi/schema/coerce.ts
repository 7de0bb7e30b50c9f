/** Decodes custom resources by their schema, as native kinds are decoded by their Go types. as unstructuredSchemaCoercer.apply */
import { append } from '../../lib/collections/append.js';
import { dropNulls } from './default.js';
import { type MetadataOptions, checkTypeMeta, coerceEmbedded, readMetadata } from './embedded.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { prune } from './prune.js';

type Plain = Record<string, unknown>;

interface CoerceOptions extends MetadataOptions {
  /** spec.preserveUnknownFields of old definitions: if true, nothing is pruned. */
  readonly preserveUnknownFields?: boolean;
}

/**
 * Removes unknown fields from an object in place, by the type of metadata and by the schema, and nulls that are neither allowed nor replaced
 * by a default. Returns the paths of the removed fields: those of metadata first, then the others, then those of embedded objects. Throws
 * DecodeError. Defaults are applied afterwards (`applyDefaults`).
 */
export function coerceObject(object: Plain, schema: Schema, options: CoerceOptions): string[] {
  checkTypeMeta(object);
  const unknown: string[] = [];
  const read = Object.hasOwn(object, 'metadata') ? readMetadata(object['metadata'], options) : undefined;
  if (read) {
    object['metadata'] = read.metadata;
    append(
      unknown,
      read.unknown.map(name => `metadata.${name}`),
    );
  }
  if (!options.preserveUnknownFields) {
    append(unknown, prune(object, schema, { root: true }));
    dropNulls(object, schema);
  }
  append(unknown, coerceEmbedded(object, schema, options));
  if (read) object['metadata'] = read.metadata;
  return unknown;
}
