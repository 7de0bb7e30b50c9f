/**
 * What a definition's schema may say, keyword by keyword.
 * as apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema
 */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import type { Fault } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { child, forbiddenField, index, key, notSupported } from '../../apimachinery/errors/faults.js';
import { type ExtensionTolerance, extensionFaults, ruleFaults } from './extension-rules.js';
import { type SchemaProps, itemsOf, moreOf } from './schema-props.js';

/** What holds for a place because of where it lies. */
interface Place {
  readonly root: boolean;
  /** Why defaults are forbidden here. */
  readonly noDefaults?: string;
  readonly insideMetadata: boolean;
  /** The nearest place around this one whose parts cannot be told apart between two versions of an object. */
  readonly uncorrelatable?: string;
}

/** Checks the rules of one schema; the context is that of its parent, undefined where rules are not allowed. */
export interface RuleChecks<Context> {
  readonly root: (props: SchemaProps) => Context;
  readonly property: (context: Context, props: SchemaProps, name: string) => Context;
  readonly items: (context: Context, props: SchemaProps) => Context;
  readonly more: (context: Context, props: SchemaProps | undefined) => Context;
  /** Adds what is wrong with the rules of a schema to `faults`, in steps. */
  readonly check: (
    context: Context,
    props: SchemaProps,
    path: string,
    uncorrelatable: string | undefined,
    faults: Fault[],
  ) => InSteps<void>;
  /** What is wrong with all rules together; the path is that of the schema. */
  readonly finish: (path: string) => Fault[];
}

export const knownTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What may be wrong with a schema, because it was so before. */
export interface Tolerance extends ExtensionTolerance {
  readonly unstructural?: boolean;
  readonly unknownTypes?: boolean;
  /** Defaults with fields that pruning would remove. */
  readonly unprunedDefaults?: boolean;
}

export interface SchemaRules<Context = unknown> {
  /** Why defaults are forbidden everywhere, if they are. */
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

/** Keywords of JSON schema that Kubernetes does not take. */
function keywordFaults(s: SchemaProps, place: Place, path: string, anyType: boolean | undefined): Fault[] {
  const faults: Fault[] = [];
  const refuse = (keyword: string, text = `${keyword} is not supported`): void => {
    faults.push(forbiddenField(child(path, keyword), text));
  };
  if (!anyType && s.type && !knownTypes.includes(s.type))
    faults.push(notSupported(child(path, 'type'), s.type, knownTypes));
  if (s.default != null && place.noDefaults !== undefined)
    refuse('default', `must not be set${place.noDefaults === '' ? '' : ` ${place.noDefaults}`}`);
  if (s.id) refuse('id');
  if (s.additionalItems !== undefined) refuse('additionalItems');
  if (nonEmpty(s.patternProperties)) refuse('patternProperties');
  if (nonEmpty(s.definitions)) refuse('definitions');
  if (s.dependencies !== undefined) refuse('dependencies');
  if (s.$ref !== undefined) refuse('$ref');
  if (s.type === 'null') refuse('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(s.items) && s.items.length > 0) refuse('items', 'items must be a schema object and not an array');
  if (place.insideMetadata && s['x-kubernetes-embedded-resource'])
    refuse('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  if (s.uniqueItems)
    refuse('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  const { additionalProperties: more } = s;
  if (more !== undefined && nonEmpty(s.properties) && more !== true)
    refuse('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  return faults;
}

const metaFields = ['metadata', 'kind', 'apiVersion'];

/** A schema inside of another. */
interface Inner<C> {
  readonly schema: SchemaProps | undefined;
  readonly place: Place;
  readonly path: string;
  /** What its rules see; absent: rules do not reach it. */
  readonly within?: (rules: RuleChecks<C>, context: C) => C;
}

/** In the order in which upstream looks at them. */
function* innerOf<C>(s: SchemaProps, place: Place, path: string): Iterable<Inner<C>> {
  if (s.additionalProperties !== undefined) {
    const why = 'inside additionalProperties applying to object metadata';
    const where = place.insideMetadata ? { ...place, noDefaults: why } : place;
    const schema = moreOf(s);
    yield { schema, place: where, path: child(path, 'additionalProperties'), within: (r, c) => r.more(c, schema) };
  }
  yield* propertiesOf<C>(s, place, path);
  yield { schema: s.not, place, path: child(path, 'not') };
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, schema] of (s[junctor] ?? []).entries())
      yield { schema, place, path: index(child(path, junctor), i) };
  for (const [name, schema] of Object.entries(s.definitions ?? {}))
    yield { schema, place, path: key(child(path, 'definitions'), name) };
  if (s.items !== undefined) yield* itemsIn<C>(s, place, child(path, 'items'), path);
  for (const [name, schema] of Object.entries(s.dependencies ?? {}))
    if (!Array.isArray(schema))
      yield { schema: schema as SchemaProps, place, path: key(child(path, 'dependencies'), name) };
}

function* propertiesOf<C>(s: SchemaProps, place: Place, path: string): Iterable<Inner<C>> {
  const mapType = s['x-kubernetes-map-type'];
  // Whose fields nobody could match with those of before.
  const strange = mapType !== undefined && mapType !== 'granular' && mapType !== 'atomic';
  const { properties } = s;
  if (!properties) return;
  const whole = place.root || s['x-kubernetes-embedded-resource'] === true;
  const usual: Place = strange && place.uncorrelatable === undefined ? { ...place, uncorrelatable: path } : place;
  const at = child(path, 'properties');
  for (const name of Object.keys(properties)) {
    const schema = properties[name];
    if (!schema) continue;
    const meta = whole && metaFields.includes(name);
    const where: Place = meta
      ? { ...usual, insideMetadata: true, ...(place.root && { noDefaults: `in top-level ${name}` }) }
      : usual;
    yield { schema, place: where, path: key(at, name), within: (r, c) => r.property(c, schema, name) };
  }
}

/** `list`: the path of the list itself. */
function* itemsIn<C>(s: SchemaProps, place: Place, path: string, list: string): Iterable<Inner<C>> {
  const loose = s['x-kubernetes-list-type'] !== 'map' && place.uncorrelatable === undefined;
  const where: Place = loose ? { ...place, uncorrelatable: list } : place;
  const single = itemsOf(s);
  if (single) yield { schema: single, place: where, path, within: (r, c) => r.items(c, single) };
  else
    for (const [i, schema] of (s.items as readonly SchemaProps[]).entries())
      yield { schema, place: where, path: index(path, i) };
}

/** What a walk over a schema takes along. */
interface Walk<C> {
  readonly options: SchemaRules<C>;
  readonly found: Found;
  readonly strides: Strides;
}

function* visit<C>(
  s: SchemaProps | undefined,
  place: Place,
  path: string,
  context: C | undefined,
  walk: Walk<C>,
): InSteps<void> {
  if (!s) return;
  const { found, options, strides } = walk;
  const { tolerance = {}, rules } = options;
  if (strides.isOver) yield undefined;
  const before = found.schema.length;
  append(found.schema, keywordFaults(s, place, path, tolerance.unknownTypes));
  for (const inner of innerOf<C>(s, place, path)) {
    const within = rules && context !== undefined ? inner.within?.(rules, context) : undefined;
    yield* visit(inner.schema, { ...inner.place, root: false }, inner.path, within, walk);
  }
  append(found.schema, extensionFaults(s, path, tolerance));
  const own = s['x-kubernetes-validations'] ?? [];
  if (own.length === 0) return;
  const isSupported = !options.unsupported?.has(s);
  for (const [i, rule] of own.entries()) {
    append(found.schema, ruleFaults(s, rule, index(child(path, 'x-kubernetes-validations'), i), isSupported));
    if (strides.isOver) yield undefined;
  }
  if (found.schema.length === before && rules && context !== undefined)
    yield* rules.check(context, s, path, place.uncorrelatable, found.rules);
}

/** Finds what is wrong with a schema by its keywords, in steps. */
export function* keywordRuleFaults<C>(
  schema: SchemaProps,
  path: string,
  options: SchemaRules<C> = {},
): InSteps<Fault[]> {
  const place: Place = {
    root: true,
    insideMetadata: false,
    ...(options.noDefaults !== undefined && { noDefaults: options.noDefaults }),
  };
  const walk: Walk<C> = { options, found: { schema: [], rules: [] }, strides: new Strides() };
  yield* visit(schema, place, path, options.rules?.root(schema), walk);
  const { found } = walk;
  append(found.schema, found.rules);
  append(found.schema, options.rules?.finish(path) ?? []);
  return found.schema;
}
