/**
 * Validates the schema of a definition keyword by keyword.
 * as apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema
 */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import type { Fault } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { child, forbiddenField, index, key, notSupported } from '../../apimachinery/errors/faults.js';
import { type ExtensionTolerance, extensionFaults, ruleFormFaults } from './extension-rules.js';
import { type SchemaProps, itemSchemaOf, moreOf } from './schema-props.js';

/** The position of a schema, which decides about some rules. */
interface Position {
  readonly root: boolean;
  /** Why defaults are forbidden here; absent if they are allowed. */
  readonly noDefaults?: string;
  readonly insideMetadata: boolean;
  /** Path of the nearest enclosing schema whose values cannot be correlated between two versions of an object. */
  readonly uncorrelatable?: string;
}

/** Checks the rules in CEL of schemas. The context of a schema is made from that of its parent. */
export interface RuleChecks<Context> {
  readonly root: (props: SchemaProps) => Context;
  readonly property: (context: Context, props: SchemaProps, name: string) => Context;
  readonly items: (context: Context, props: SchemaProps) => Context;
  readonly more: (context: Context, props: SchemaProps | undefined) => Context;
  /** Adds the faults of a schema's rules to `faults`, in steps. */
  readonly check: (
    context: Context,
    props: SchemaProps,
    path: string,
    uncorrelatable: string | undefined,
    faults: Fault[],
  ) => InSteps<void>;
  /** Returns the faults of all rules together. `path` is that of the schema. */
  readonly finish: (path: string) => Fault[];
}

export const knownTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** The faults that are tolerated because the stored definition has them. */
export interface Tolerance extends ExtensionTolerance {
  readonly unstructural?: boolean;
  readonly unknownTypes?: boolean;
  /** Defaults with fields that pruning would remove. */
  readonly unprunedDefaults?: boolean;
}

interface SchemaRules<Context = unknown> {
  /** Why defaults are forbidden everywhere; absent if they are allowed. */
  readonly noDefaults?: string;
  readonly tolerance?: Tolerance;
  readonly rules?: RuleChecks<Context>;
  /** Schemas that cannot be made structural; absent: none. */
  readonly unsupported?: ReadonlySet<SchemaProps>;
}

interface Found {
  readonly schema: Fault[];
  /** Faults of rules come after all others. */
  readonly rules: Fault[];
}

const nonEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Returns the faults of the keywords of JSON schema, some of which Kubernetes does not support. */
function keywordFaults(s: SchemaProps, position: Position, path: string, anyType: boolean | undefined): Fault[] {
  const faults: Fault[] = [];
  const refuse = (keyword: string, text = `${keyword} is not supported`): void => {
    faults.push(forbiddenField(child(path, keyword), text));
  };
  if (!anyType && s.type && !knownTypes.includes(s.type))
    faults.push(notSupported(child(path, 'type'), s.type, knownTypes));
  if (s.default != null && position.noDefaults !== undefined)
    refuse('default', `must not be set${position.noDefaults === '' ? '' : ` ${position.noDefaults}`}`);
  if (s.id) refuse('id');
  if (s.additionalItems !== undefined) refuse('additionalItems');
  if (nonEmpty(s.patternProperties)) refuse('patternProperties');
  if (nonEmpty(s.definitions)) refuse('definitions');
  if (s.dependencies !== undefined) refuse('dependencies');
  if (s.$ref !== undefined) refuse('$ref');
  if (s.type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(s.items) && s.items.length > 0) refuse('items', 'items must be a schema object and not an array');
  if (position.insideMetadata && s['x-kubernetes-embedded-resource'])
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  if (s.uniqueItems)
    refuse('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  const { additionalProperties: more } = s;
  if (more !== undefined && nonEmpty(s.properties) && more !== true)
    refuse('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  return faults;
}

const metaFields = ['metadata', 'kind', 'apiVersion'];

/** A schema directly below another. */
interface Inner<C> {
  readonly schema: SchemaProps | undefined;
  readonly position: Position;
  readonly path: string;
  /** Returns the context of the schema's rules; absent if it may not have rules. */
  readonly within?: (rules: RuleChecks<C>, context: C) => C;
}

/** Yields the schemas directly below one in the order of upstream. */
function* innerOf<C>(s: SchemaProps, position: Position, path: string): Iterable<Inner<C>> {
  if (s.additionalProperties !== undefined) {
    const why = 'inside additionalProperties applying to object metadata';
    const where = position.insideMetadata ? { ...position, noDefaults: why } : position;
    const schema = moreOf(s);
    yield { schema, position: where, path: child(path, 'additionalProperties'), within: (r, c) => r.more(c, schema) };
  }
  yield* propertiesOf<C>(s, position, path);
  yield { schema: s.not, position, path: child(path, 'not') };
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, schema] of (s[junctor] ?? []).entries())
      yield { schema, position, path: index(child(path, junctor), i) };
  for (const [name, schema] of Object.entries(s.definitions ?? {}))
    yield { schema, position, path: key(child(path, 'definitions'), name) };
  if (s.items !== undefined) yield* itemsIn<C>(s, position, child(path, 'items'), path);
  for (const [name, schema] of Object.entries(s.dependencies ?? {}))
    if (!Array.isArray(schema))
      yield { schema: schema as SchemaProps, position, path: key(child(path, 'dependencies'), name) };
}

function* propertiesOf<C>(s: SchemaProps, position: Position, path: string): Iterable<Inner<C>> {
  const mapType = s['x-kubernetes-map-type'];
  // The fields of an unknown map type cannot be correlated with those of the old object.
  const isUncorrelatable = mapType !== undefined && mapType !== 'granular' && mapType !== 'atomic';
  const { properties } = s;
  if (!properties) return;
  const whole = position.root || s['x-kubernetes-embedded-resource'] === true;
  const common: Position =
    isUncorrelatable && position.uncorrelatable === undefined ? { ...position, uncorrelatable: path } : position;
  const at = child(path, 'properties');
  for (const name of Object.keys(properties)) {
    const schema = properties[name];
    if (!schema) continue;
    const meta = whole && metaFields.includes(name);
    const where: Position = meta
      ? { ...common, insideMetadata: true, ...(position.root && { noDefaults: `in top-level ${name}` }) }
      : common;
    yield { schema, position: where, path: key(at, name), within: (r, c) => r.property(c, schema, name) };
  }
}

/** Yields the schemas of items. `list` is the path of the list. */
function* itemsIn<C>(s: SchemaProps, position: Position, path: string, list: string): Iterable<Inner<C>> {
  const isUncorrelatable = s['x-kubernetes-list-type'] !== 'map' && position.uncorrelatable === undefined;
  const where: Position = isUncorrelatable ? { ...position, uncorrelatable: list } : position;
  const single = itemSchemaOf(s);
  if (single) yield { schema: single, position: where, path, within: (r, c) => r.items(c, single) };
  else
    for (const [i, schema] of (s.items as readonly SchemaProps[]).entries())
      yield { schema, position: where, path: index(path, i) };
}

/** The state of one walk over a schema. */
interface Walk<C> {
  readonly options: SchemaRules<C>;
  readonly found: Found;
  readonly strides: Strides;
}

function* visit<C>(
  s: SchemaProps | undefined,
  position: Position,
  path: string,
  context: C | undefined,
  walk: Walk<C>,
): InSteps<void> {
  if (!s) return;
  const { found, options, strides } = walk;
  const { tolerance = {}, rules } = options;
  if (strides.isOver) yield undefined;
  const before = found.schema.length;
  append(found.schema, keywordFaults(s, position, path, tolerance.unknownTypes));
  for (const inner of innerOf<C>(s, position, path)) {
    const within = rules && context !== undefined ? inner.within?.(rules, context) : undefined;
    yield* visit(inner.schema, { ...inner.position, root: false }, inner.path, within, walk);
  }
  append(found.schema, extensionFaults(s, path, tolerance));
  const validations = s['x-kubernetes-validations'] ?? [];
  if (validations.length === 0) return;
  const isSupported = !options.unsupported?.has(s);
  for (const [i, rule] of validations.entries()) {
    append(found.schema, ruleFormFaults(s, rule, index(child(path, 'x-kubernetes-validations'), i), isSupported));
    if (strides.isOver) yield undefined;
  }
  if (found.schema.length === before && rules && context !== undefined)
    yield* rules.check(context, s, path, position.uncorrelatable, found.rules);
}

/** Returns the faults of the keywords of a schema, in steps. */
export function* keywordRuleFaults<C>(
  schema: SchemaProps,
  path: string,
  options: SchemaRules<C> = {},
): InSteps<Fault[]> {
  const position: Position = {
    root: true,
    insideMetadata: false,
    ...(options.noDefaults !== undefined && { noDefaults: options.noDefaults }),
  };
  const walk: Walk<C> = { options, found: { schema: [], rules: [] }, strides: new Strides() };
  yield* visit(schema, position, path, options.rules?.root(schema), walk);
  const { found } = walk;
  append(found.schema, found.rules);
  append(found.schema, options.rules?.finish(path) ?? []);
  return found.schema;
}
