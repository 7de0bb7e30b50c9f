/** The schema of a CustomResourceDefinition as it is written: JSON that may say more, and other things, than a Schema can. */
import type { Schema } from '../../apimachinery/codec/interface.js';

type Same = Omit<
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
export interface SchemaProps extends Same {
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

/** `items` where it is one schema. */
export function itemsOf(props: SchemaProps): SchemaProps | undefined {
  return Array.isArray(props.items) ? undefined : (props.items as SchemaProps | undefined);
}

/** `additionalProperties` where it is a schema. */
export function moreOf(props: SchemaProps): SchemaProps | undefined {
  return typeof props.additionalProperties === 'object' ? props.additionalProperties : undefined;
}

export function propertyOf(props: SchemaProps, name: string): SchemaProps | undefined {
  return props.properties && Object.hasOwn(props.properties, name) ? props.properties[name] : undefined;
}

const given = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0);

/** The first reason for which a schema cannot be made structural at all. as structural schema NewStructural */
export function unsupportedText(props: SchemaProps | undefined): string | undefined {
  if (!props) return undefined;
  const says = (keyword: string): string => `OpenAPIV3Schema '${keyword}' is not supported`;
  if (props.id) return says('id');
  if (props.$schema) return says('schema');
  if (props.$ref) return says('$ref');
  if (given(props.patternProperties)) return says('patternProperties');
  if (given(props.dependencies)) return says('dependencies');
  if (props.additionalItems !== undefined) return says('additionalItems');
  if (given(props.definitions)) return says('definitions');
  if (props['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(props.items) && props.items.length > 0)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const { not, allOf = [], anyOf = [], oneOf = [] } = props;
  const below = [
    not,
    ...allOf,
    ...anyOf,
    ...oneOf,
    itemsOf(props),
    ...Object.values(props.properties ?? {}),
    moreOf(props),
  ];
  for (const schema of below) {
    const found = unsupportedText(schema);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A valid definition's schema as a Schema: they are the same JSON. */
export function toSchema(props: SchemaProps): Schema {
  return props as Schema;
}
