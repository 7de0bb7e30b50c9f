/** The schema of a CustomResourceDefinition before validation, which may have keywords and values that a Schema does not allow. */
import type { Schema } from '../../apimachinery/codec/interface.js';

/** The keywords with the same values as in a Schema. */
type SameKeywords = Omit<
  Schema,
  | 'type'
  | 'properties'
  | 'additionalProperties'
  | 'items'
  | 'allOf'
  | 'anyOf'
  | 'oneOf'
  | 'not'
  | 'typeName'
  | 'scalar'
  | 'presence'
>;

/** apiextensions/v1 JSONSchemaProps. */
export interface SchemaProps extends SameKeywords {
  readonly type?: string;
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly example?: unknown;
  readonly externalDocs?: unknown;
  readonly properties?: Readonly<Record<string, SchemaProps>>;
  readonly patternProperties?: Readonly<Record<string, SchemaProps>>;
  readonly definitions?: Readonly<Record<string, SchemaProps>>;
  readonly dependencies?: Readonly<Record<string, SchemaProps | readonly string[]>>;
  readonly additionalProperties?: SchemaProps | boolean;
  readonly additionalItems?: SchemaProps | boolean;
  readonly items?: SchemaProps | readonly SchemaProps[];
  readonly allOf?: readonly SchemaProps[];
  readonly anyOf?: readonly SchemaProps[];
  readonly oneOf?: readonly SchemaProps[];
  readonly not?: SchemaProps;
}

/** Returns `items` if it is a single schema. */
export function itemSchemaOf(props: SchemaProps): SchemaProps | undefined {
  return Array.isArray(props.items) ? undefined : (props.items as SchemaProps | undefined);
}

/** Returns `additionalProperties` if it is a schema. */
export function moreOf(props: SchemaProps): SchemaProps | undefined {
  return typeof props.additionalProperties === 'object' ? props.additionalProperties : undefined;
}

/** Returns the schema of a property; undefined if it is not declared. */
export function propertyOf(props: SchemaProps, name: string): SchemaProps | undefined {
  return props.properties && Object.hasOwn(props.properties, name) ? props.properties[name] : undefined;
}

/** Yields the schemas directly below one, of all keywords. */
export function* schemasBelow(props: SchemaProps): Generator<SchemaProps, void> {
  const { allOf, anyOf, oneOf, not, items, properties, patternProperties, definitions } = props;
  const { additionalProperties: more, additionalItems, dependencies } = props;
  for (const each of [[items].flat(), allOf, anyOf, oneOf, [not, more, additionalItems]])
    for (const schema of each ?? []) if (isSchema(schema)) yield schema;
  for (const named of [properties, patternProperties, definitions, dependencies])
    if (named) for (const name of Object.keys(named)) if (isSchema(named[name])) yield named[name];
}

const isSchema = (value: unknown): value is SchemaProps =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the schema of a valid definition as a Schema, which is the same JSON. */
export function toSchema(props: SchemaProps): Schema {
  return props as Schema;
}
