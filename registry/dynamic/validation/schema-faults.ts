/** Validates the schema of a version. */
import type { InSteps } from '../../../lib/time-slice.js';
import type { Fault } from '../../../apimachinery/interface.js';
import type { DefaultRules } from '../../../openapi/schema/default-rules.js';
import { definitionSchemaFaults } from '../../../openapi/schema/definition.js';
import type { SchemaProps } from '../../../openapi/schema/schema-props.js';
import type { Tolerance } from '../../../openapi/schema/schema-rules.js';
import { toleranceOf } from '../../../openapi/schema/tolerance.js';
import { embeddedMetadataFaults, objectMetaSchema } from '../../strategy/object-meta.js';

interface SchemaPlace {
  readonly path: string;
  /** The version has the status subresource; for the shared schema, any version. */
  readonly status: boolean;
  /** The schema has not changed, so the costs of its expressions are not limited. */
  readonly unchanged: boolean;
  readonly tolerance: Tolerance;
}

const defaults = (): DefaultRules => ({ objectMeta: objectMetaSchema(), metadataFaults: embeddedMetadataFaults });

/** Returns, in steps, the faults that are tolerated because the stored schemas have them, too. */
export const schemaTolerance = (stored: readonly SchemaProps[]): InSteps<Tolerance> => toleranceOf(stored, defaults());

/** Returns the faults of a schema, in steps. */
export function schemaFaults(schema: SchemaProps, place: SchemaPlace): InSteps<Fault[]> {
  return definitionSchemaFaults(schema, { ...place, defaults: defaults() });
}
