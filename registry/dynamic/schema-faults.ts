/** Finds what is wrong with the schema of a version. */
import type { InSteps } from '../../lib/time-slice.js';
import type { Fault } from '../../apimachinery/interface.js';
import type { DefaultRules } from '../../openapi/schema/default-rules.js';
import { definitionSchemaFaults } from '../../openapi/schema/definition.js';
import type { SchemaProps } from '../../openapi/schema/schema-props.js';
import type { Tolerance } from '../../openapi/schema/schema-rules.js';
import { toleranceOf } from '../../openapi/schema/tolerance.js';
import { embeddedMetadataFaults, objectMetaSchema } from '../strategy/object-meta.js';

export interface SchemaPlace {
  readonly path: string;
  /** The version, or some version where it is the schema of all, has the status subresource. */
  readonly status: boolean;
  /** It was so before: its expressions may cost what they do. */
  readonly unchanged: boolean;
  readonly tolerance: Tolerance;
}

const defaults = (): DefaultRules => ({ objectMeta: objectMetaSchema(), metadataFaults: embeddedMetadataFaults });

/** What may be wrong, since it was so in a definition that is stored. */
export const schemaTolerance = (stored: readonly SchemaProps[]): InSteps<Tolerance> => toleranceOf(stored, defaults());

/** Finds what is wrong with a schema, in steps. */
export function schemaFaults(schema: SchemaProps, place: SchemaPlace): InSteps<Fault[]> {
  return definitionSchemaFaults(schema, { ...place, defaults: defaults() });
}
