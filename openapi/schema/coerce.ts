/** Decodes custom resources by their schema, as native kinds are decoded by their Go types. as unstructuredSchemaCoercer.apply */
import { append } from '../../lib/collections/append.js';
import type { InSteps } from '../../lib/time-slice.js';
import { dropNulls, dropNullsSteps } from './default.js';
import { type MetadataOptions, checkTypeMeta, coerceEmbedded, coerceEmbeddedSteps, readMetadata } from './embedded.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { prune, pruneSteps } from './prune.js';

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
  const { metadata, unknown } = readOwnMetadata(object, options);
  if (!options.preserveUnknownFields) {
    append(unknown, prune(object, schema, { root: true }));
    dropNulls(object, schema);
  }
  append(unknown, coerceEmbedded(object, schema, options));
  if (metadata) object['metadata'] = metadata;
  return unknown;
}

/** As `coerceObject`, in steps, for objects that may be large. The first step does nothing: other work may have used up this turn. */
export function* coerceObjectSteps(object: Plain, schema: Schema, options: CoerceOptions): InSteps<string[]> {
  if ((yield) === true) return coerceObject(object, schema, options);
  const { metadata, unknown } = readOwnMetadata(object, options);
  if (!options.preserveUnknownFields) {
    append(unknown, yield* pruneSteps(object, schema, { root: true }));
    yield* dropNullsSteps(object, schema);
  }
  append(unknown, yield* coerceEmbeddedSteps(object, schema, options));
  if (metadata) object['metadata'] = metadata;
  return unknown;
}

/** Decodes the metadata of a whole object by its type, in place. Returns the paths of the unknown fields. Throws DecodeError. */
function readOwnMetadata(object: Plain, options: CoerceOptions): { metadata: Plain | undefined; unknown: string[] } {
  checkTypeMeta(object);
  if (!Object.hasOwn(object, 'metadata')) return { metadata: undefined, unknown: [] };
  const { metadata, unknown } = readMetadata(object['metadata'], options);
  object['metadata'] = metadata;
  return { metadata, unknown: unknown.map(name => `metadata.${name}`) };
}
