/** What is wrong with the schema of a version (CRD-020 to CRD-024). */
import type { Fault } from '../../openapi/interface.js';
import { definitionSchemaFaults } from '../../openapi/schema/definition.js';
import type { SchemaProps } from '../../openapi/schema/schema-props.js';
import { embeddedMetadataFaults, objectMetaSchema } from '../strategy/object-meta.js';

/** `path`: of the schema. `status`: some version has the status subresource. */
export function schemaFaults(schema: SchemaProps, path: string, status: boolean): Fault[] {
  const defaults = { objectMeta: objectMetaSchema(), metadataFaults: embeddedMetadataFaults };
  return definitionSchemaFaults(schema, { path, status, defaults });
}
