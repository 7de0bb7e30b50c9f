/** What no schema may say that is to become a structural one. as apiextensions-apiserver/pkg/apiserver/schema convert.go NewStructural */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import { type SchemaProps, itemsOf, moreOf, schemasBelow } from './schema-props.js';

const given = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value !== undefined && value !== null;
  return Object.keys(value).length > 0;
};

/** Returns why a schema itself, whatever is below it, cannot be made structural. */
function ownUnsupported(props: SchemaProps): string | undefined {
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
  return undefined;
}

type Below = SchemaProps | undefined;

/** Gives the schemas directly below one that may be structural, in the order in which upstream looks at them. */
function* structuralParts(props: SchemaProps): Generator<Below, void> {
  const { not, allOf = [], anyOf = [], oneOf = [], properties } = props;
  yield not;
  yield* allOf;
  yield* anyOf;
  yield* oneOf;
  yield itemsOf(props);
  if (properties) for (const name of Object.keys(properties)) yield properties[name];
  yield moreOf(props);
}

/** Finds the first reason for which a schema cannot be made structural at all, in steps. */
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

/** Finds the schemas that cannot be made structural, because of what they or schemas below them say, in steps. */
export function* unsupportedSchemas(root: SchemaProps): Generator<undefined, ReadonlySet<SchemaProps>> {
  const strides = new Strides();
  const unsupported = new Set<SchemaProps>();
  const open: { readonly schema: SchemaProps; readonly below: Iterator<SchemaProps> }[] = [];
  for (let schema: SchemaProps | undefined = root; schema;) {
    open.push({ schema, below: schemasBelow(schema)[Symbol.iterator]() });
    if (ownUnsupported(schema) !== undefined)
      for (let i = open.length - 1; i >= 0; i--) {
        const around = open[i]?.schema;
        if (!around || unsupported.has(around)) break;
        unsupported.add(around);
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
