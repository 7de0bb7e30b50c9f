/** What decoding does for custom resources that Go's types do for native ones. as unstructuredSchemaCoercer.apply */
import { append } from '../../lib/collections/append.js';
import { dropNulls } from './default.js';
import { type MetadataOptions, checkTypeMeta, coerceEmbedded, readMetadata } from './embedded.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { prune } from './prune.js';

type Plain = Record<string, unknown>;

export interface CoerceOptions extends MetadataOptions {
  /** spec.preserveUnknownFields of old definitions: nothing is pruned. */
  readonly preserveUnknownFields?: boolean;
}

/**
 * Prunes an object that the caller owns, in place: metadata to its type, fields to the schema, nulls that are neither allowed nor
 * replaced. Gives the paths of the fields left out: those of metadata first, then the others, then those of embedded objects.
 * Throws DecodeError. Defaults come after (`applyDefaults`).
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
