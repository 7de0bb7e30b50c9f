/** Keywords that structural schemas do not support. as apiextensions-apiserver/pkg/apiserver/schema convert.go NewStructural */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import { type SchemaProps, itemSchemaOf, moreOf, schemasBelow } from './schema-props.js';

const isSet = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value !== undefined && value !== null;
  return Object.keys(value).length > 0;
};

/** Returns why a schema, without those below it, cannot be made structural; undefined if it can. */
function ownUnsupported(props: SchemaProps): string | undefined {
  const notSupported = (keyword: string): string => `OpenAPIV3Schema '${keyword}' is not supported`;
  if (props.id) return notSupported('id');
  if (props.$schema) return notSupported('schema');
  if (props.$ref) return notSupported('$ref');
  if (isSet(props.patternProperties)) return notSupported('patternProperties');
  if (isSet(props.dependencies)) return notSupported('dependencies');
  if (props.additionalItems !== undefined) return notSupported('additionalItems');
  if (isSet(props.definitions)) return notSupported('definitions');
  if (props['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(props.items) && props.items.length > 0)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return undefined;
}

type Below = SchemaProps | undefined;

/** Yields the schemas directly below one that are part of a structural schema, in the order of upstream. */
function* structuralParts(props: SchemaProps): Generator<Below, void> {
  const { not, allOf = [], anyOf = [], oneOf = [], properties } = props;
  yield not;
  yield* allOf;
  yield* anyOf;
  yield* oneOf;
  yield itemSchemaOf(props);
  if (properties) for (const name of Object.keys(properties)) yield properties[name];
  yield moreOf(props);
}

/** Returns the first reason why a schema cannot be made structural; undefined if it can. Works in steps. */
export function* unsupportedSteps(root: SchemaProps | undefined): InSteps<string | undefined> {
  const strides = new Strides();
  const open: Generator<Below, void>[] = [];
  for (let schema = root; ;) {
    if (schema) {
      const found = ownUnsupported(schema);
      if (found !== undefined) return found;
      open.push(structuralParts(schema));
    }
    let next = open.at(-1)?.next();
    while (next?.done === true) {
      open.pop();
      next = open.at(-1)?.next();
    }
    if (next === undefined) return undefined;
    schema = next.value ?? undefined;
    if (strides.isOver) yield undefined;
  }
}

/** Returns the schemas that cannot be made structural because of their keywords or those of schemas below, in steps. */
export function* unsupportedSchemas(root: SchemaProps): Generator<undefined, ReadonlySet<SchemaProps>> {
  const strides = new Strides();
  const unsupported = new Set<SchemaProps>();
  const open: { readonly schema: SchemaProps; readonly below: Iterator<SchemaProps> }[] = [];
  for (let schema: SchemaProps | undefined = root; schema;) {
    open.push({ schema, below: schemasBelow(schema)[Symbol.iterator]() });
    if (ownUnsupported(schema) !== undefined)
      for (let i = open.length - 1; i >= 0; i--) {
        const enclosing = open[i]?.schema;
        if (!enclosing || unsupported.has(enclosing)) break;
        unsupported.add(enclosing);
      }
    let next = open.at(-1)?.below.next();
    while (next?.done === true) {
      open.pop();
      next = open.at(-1)?.below.next();
    }
    schema = next?.value ?? undefined;
    if (strides.isOver) yield undefined;
  }
  return unsupported;
}
