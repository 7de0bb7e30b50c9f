/** What is wrong with the schema of a version (CRD-020 to CRD-024). */
import type { Fault } from '../../openapi/interface.js';
import { definitionSchemaFaults } from '../../openapi/schema/definition.js';
import type { SchemaProps } from '../../openapi/schema/schema-props.js';
import { embeddedMetadataFaults, objectMetaSchema } from '../strategy/object-meta.js';

export interface SchemaPlace {
  readonly path: string;
  /** Some version has the status subresource. */
  readonly status: boolean;
  /** It was so before: its expressions may cost what they do. */
  readonly unchanged: boolean;
}

export function schemaFaults(schema: SchemaProps, place: SchemaPlace): Fault[] {
  const defaults = { objectMeta: objectMetaSchema(), metadataFaults: embeddedMetadataFaults };
  return definitionSchemaFaults(schema, { ...place, defaults });
}
