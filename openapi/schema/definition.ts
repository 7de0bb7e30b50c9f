/** Validates the schema of one version of a CustomResourceDefinition. as validateCustomResourceDefinitionValidation */
import type { InSteps } from '../../lib/time-slice.js';
import type { Fault } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { child, forbiddenField, invalidValue } from '../../apimachinery/errors/faults.js';
import { celChecks } from './expressions/cel-checks.js';
import { type DefaultRules, defaultFaults } from './default-rules.js';
import { internalFields, shownSchema } from './internal-form.js';
import { type Tolerance, keywordRuleFaults } from './schema-rules.js';
import type { SchemaProps } from './schema-props.js';
import { structuralFaults } from './structural.js';
import { unsupportedSchemas, unsupportedSteps } from './unsupported.js';

interface DefinitionOptions {
  /** The path of the schema: `spec.validation.openAPIV3Schema`, or that of a version. */
  readonly path: string;
  /** Whether the version has the status subresource. */
  readonly status: boolean;
  readonly defaults: DefaultRules;
  /** Forbids defaults, with a reason such as `(use ...)`, or ''; absent if they are allowed. */
  readonly noDefaults?: string;
  /** The schema is stored already, so the cost of single expressions is not limited. */
  readonly unchanged?: boolean;
  readonly tolerance?: Tolerance;
}

/** Go's names of the keywords that are allowed at the root of a schema with status. */
const allowedAtRoot = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

function statusRootFaults(props: SchemaProps, path: string): Fault[] {
  for (const [goName, keyword] of internalFields) {
    const value = props[keyword];
    if (value === undefined || value === '' || value === false) continue;
    if (goName === 'Type' && value !== 'object') {
      const text =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidValue(child(path, 'type'), value, text)];
    }
    if (allowedAtRoot.includes(goName)) continue;
    const text = `only [${allowedAtRoot.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidValue(path, shownSchema(props), text)];
  }
  return [];
}

/** Returns the faults of the schema of a definition, in steps. */
export function* definitionSchemaFaults(props: SchemaProps, options: DefinitionOptions): InSteps<Fault[]> {
  const { path, tolerance = {} } = options;
  const faults = options.status ? statusRootFaults(props, path) : [];
  if (props.nullable) faults.push(forbiddenField(child(path, 'nullable'), 'nullable cannot be true at the root'));
  const unsupported = yield* unsupportedSteps(props);
  let structural: Fault[] = [];
  if (unsupported === undefined && !tolerance.unstructural) {
    const defaults = { ...options.defaults, allowUnpruned: tolerance.unprunedDefaults === true };
    structural = yield* structuralFaults(props, path);
    if (structural.length === 0) structural = yield* defaultFaults(props, path, defaults);
    append(faults, structural);
  }
  // Expressions are checked if the schema is structural and its defaults are valid.
  const checkRules = unsupported === undefined && !tolerance.unstructural && structural.length === 0;
  const keywords = yield* keywordRuleFaults(props, path, {
    tolerance,
    ...(options.noDefaults !== undefined && { noDefaults: options.noDefaults }),
    ...(checkRules && { rules: celChecks(options.unchanged) }),
    ...(unsupported !== undefined && { unsupported: yield* unsupportedSchemas(props) }),
  });
  append(faults, keywords);
  if (faults.length === 0 && unsupported !== undefined && !tolerance.unstructural)
    faults.push(invalidValue(path, '', unsupported));
  return faults;
}
