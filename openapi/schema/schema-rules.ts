/**
 * What a definition's schema may say, keyword by keyword.
 * as apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema
 */
import type { Fault } from '../interface.js';
import { child, forbiddenField, index, invalidValue, key, notSupported, required } from '../meta/faults.js';
import { readFieldPath } from './field-path.js';
import type { ValidationRule } from './interface.js';
import { shownItems } from './internal-form.js';
import { type SchemaProps, itemsOf, moreOf, propertyOf, unsupportedText } from './schema-props.js';

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
  readonly check: (context: Context, props: SchemaProps, path: string, uncorrelatable: string | undefined) => Fault[];
  /** What is wrong with all rules together; the path is that of the schema. */
  readonly finish: (path: string) => Fault[];
}

export const knownTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What may be wrong with a schema, because it was so before. */
export interface Tolerance {
  readonly unstructural?: boolean;
  readonly unknownTypes?: boolean;
  /** Defaults with fields that pruning would remove. */
  readonly unprunedDefaults?: boolean;
  /** Items of sets that are not compared as a whole. */
  readonly compositeSets?: boolean;
  /** Items of sets and maps, or keys of maps, that may be null or absent. */
  readonly looseKeys?: boolean;
}

export interface SchemaRules<Context = unknown> {
  /** Why defaults are forbidden everywhere, if they are. */
  readonly noDefaults?: string;
  readonly tolerance?: Tolerance;
  readonly rules?: RuleChecks<Context>;
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

function needType(s: SchemaProps, type: string, keyword: string, path: string): Fault[] {
  if (s.type === type) return [];
  const text = `must be ${type} if ${keyword} is specified`;
  const at = child(path, 'type');
  return [s.type ? invalidValue(at, s.type, text) : required(at, text)];
}

/** Items of a set are told apart by their whole value. */
export function setItemFaults(items: SchemaProps, path: string): Fault[] {
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  const at = child(path, 'items');
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalidValue(child(at, 'x-kubernetes-list-type'), listType, text)];
  // Quirk: the list type is shown, where the map type is wrong.
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalidValue(child(at, 'x-kubernetes-map-type'), listType ?? null, text)];
  return [];
}

function listKeyFaults(s: SchemaProps, items: SchemaProps, path: string): Fault[] {
  const faults: Fault[] = [];
  const keys = s['x-kubernetes-list-map-keys'] ?? [];
  const at = child(path, 'x-kubernetes-list-map-keys');
  for (const [i, name] of keys.entries()) {
    const property = propertyOf(items, name);
    if (!property) faults.push(invalidValue(at, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const where = child(key(child(path, 'items', 'properties'), name), 'type');
      const text = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      faults.push(invalidValue(where, items.type, text));
    }
    if (keys.indexOf(name) < i) faults.push(invalidValue(at, keys, 'must not contain duplicate entries'));
  }
  return faults;
}

function mapListFaults(s: SchemaProps, path: string): Fault[] {
  const faults: Fault[] = [];
  const items = itemsOf(s);
  const at = child(path, 'items');
  if (!s['x-kubernetes-list-map-keys']?.length) {
    const text = 'must not be empty if x-kubernetes-list-type is map';
    faults.push(required(child(path, 'x-kubernetes-list-map-keys'), text));
  }
  if (s.items === undefined) faults.push(required(at, 'must have a schema if x-kubernetes-list-type is map'));
  else if (!items)
    faults.push(
      invalidValue(at, shownItems(s.items), 'must only have a single schema if x-kubernetes-list-type is map'),
    );
  else if (items.type !== 'object') {
    const text = "must be object if parent array's x-kubernetes-list-type is map";
    faults.push(invalidValue(child(at, 'type'), items.type ?? '', text));
  } else faults.push(...listKeyFaults(s, items, path));
  return faults;
}

/** Items of sets and maps, and the keys of maps, are never null; keys are never absent. as validateMapListKeysMapSet */
export function presentKeyFaults(s: SchemaProps, path: string): Fault[] {
  const items = itemsOf(s);
  const type = s['x-kubernetes-list-type'];
  if (!items || (type !== 'set' && type !== 'map')) return [];
  const faults: Fault[] = [];
  const at = child(path, 'items');
  if (items.nullable)
    faults.push(forbiddenField(child(at, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${type}`));
  for (const name of type === 'map' ? (s['x-kubernetes-list-map-keys'] ?? []) : []) {
    const property = propertyOf(items, name);
    if (!property) continue;
    const where = key(child(at, 'properties'), name);
    const why = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!items.required?.includes(name) && property.default == null)
      faults.push(required(child(where, 'default'), `${why} must have a default or be a required property`));
    if (property.nullable) faults.push(forbiddenField(child(where, 'nullable'), `${why} cannot be nullable`));
  }
  return faults;
}

function extensionFaults(s: SchemaProps, path: string, tolerance: Tolerance): Fault[] {
  const faults: Fault[] = [];
  const mapType = s['x-kubernetes-map-type'];
  const listType = s['x-kubernetes-list-type'];
  const listAt = child(path, 'x-kubernetes-list-type');
  if (s['x-kubernetes-preserve-unknown-fields'] === false)
    faults.push(invalidValue(child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  if (mapType !== undefined) {
    faults.push(...needType(s, 'object', 'x-kubernetes-map-type', path));
    const known = ['atomic', 'granular'];
    if (!known.includes(mapType)) faults.push(notSupported(child(path, 'x-kubernetes-map-type'), mapType, known));
  }
  if (listType !== undefined) {
    const items = itemsOf(s);
    const wrong = needType(s, 'array', 'x-kubernetes-list-type', path);
    faults.push(...wrong);
    if (wrong.length === 0 && listType === 'set' && items && !tolerance.compositeSets)
      faults.push(...setItemFaults(items, path));
    const known = ['atomic', 'set', 'map'];
    if (!known.includes(listType)) faults.push(notSupported(listAt, listType, known));
  }
  if (s['x-kubernetes-list-map-keys']?.length && listType !== 'map') {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty';
    faults.push(listType === undefined ? required(listAt, text) : invalidValue(listAt, listType, text));
  }
  if (listType === 'map') faults.push(...mapListFaults(s, path));
  return tolerance.looseKeys ? faults : [...faults, ...presentKeyFaults(s, path)];
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

/** The form of a rule; whether it compiles is another matter. */
function ruleFaults(s: SchemaProps, rule: ValidationRule, path: string): Fault[] {
  const faults: Fault[] = [];
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const at = (name: string): string => child(path, name);
  if (rule.rule.trim() === '') faults.push(required(at('rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    faults.push(invalidValue(at('message'), message, 'must be non-empty if specified'));
  else if (hasLineBreak(message.trim()))
    faults.push(invalidValue(at('message'), message, 'must not contain line breaks'));
  else if (hasLineBreak(rule.rule.trim()) && message.trim() === '')
    faults.push(required(at('message'), 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    faults.push(required(at('messageExpression'), 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !reasons.includes(reason)) faults.push(notSupported(at('reason'), reason, reasons));
  if (fieldPath === '') return faults;
  if (fieldPath.trim() === '') faults.push(invalidValue(at('fieldPath'), fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) faults.push(invalidValue(at('fieldPath'), fieldPath, 'must not contain line breaks'));
  if (unsupportedText(s) === undefined && 'error' in readFieldPath(fieldPath, s))
    faults.push(invalidValue(at('fieldPath'), fieldPath, 'must be a valid path'));
  return faults;
}

const metaFields = ['metadata', 'kind', 'apiVersion'];

function visit<C>(
  s: SchemaProps | undefined,
  place: Place,
  path: string,
  context: C | undefined,
  with_: SchemaRules<C>,
): Found {
  if (!s) return { schema: [], rules: [] };
  const { tolerance = {} } = with_;
  const found: Found = { schema: keywordFaults(s, place, path, tolerance.unknownTypes), rules: [] };
  const add = (inner: SchemaProps | undefined, where: Place, at: string, within: C | undefined): void => {
    const more = visit(inner, { ...where, root: false }, at, within, with_);
    found.schema.push(...more.schema);
    found.rules.push(...more.rules);
  };
  const { rules } = with_;
  const inner = (make: (r: RuleChecks<C>, c: C) => C): C | undefined =>
    rules && context !== undefined ? make(rules, context) : undefined;
  if (s.additionalProperties !== undefined) {
    const why = 'inside additionalProperties applying to object metadata';
    const where = place.insideMetadata ? { ...place, noDefaults: why } : place;
    add(
      moreOf(s),
      where,
      child(path, 'additionalProperties'),
      inner((r, c) => r.more(c, moreOf(s))),
    );
  }
  const mapType = s['x-kubernetes-map-type'];
  // Whose fields nobody could match with those of before.
  const strange = mapType !== undefined && mapType !== 'granular' && mapType !== 'atomic';
  for (const [name, schema] of Object.entries(s.properties ?? {})) {
    const meta = (place.root || s['x-kubernetes-embedded-resource'] === true) && metaFields.includes(name);
    const where: Place = {
      ...place,
      ...(strange && place.uncorrelatable === undefined && { uncorrelatable: path }),
      ...(meta && { insideMetadata: true }),
      ...(meta && place.root && { noDefaults: `in top-level ${name}` }),
    };
    add(
      schema,
      where,
      key(child(path, 'properties'), name),
      inner((r, c) => r.property(c, schema, name)),
    );
  }
  add(s.not, place, child(path, 'not'), undefined);
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const)
    s[junctor]?.forEach((one, i) => add(one, place, index(child(path, junctor), i), undefined));
  for (const [name, schema] of Object.entries(s.definitions ?? {}))
    add(schema, place, key(child(path, 'definitions'), name), undefined);
  if (s.items !== undefined) {
    const loose = s['x-kubernetes-list-type'] !== 'map' && place.uncorrelatable === undefined;
    const where: Place = loose ? { ...place, uncorrelatable: path } : place;
    const at = child(path, 'items');
    const single = itemsOf(s);
    if (single)
      add(
        single,
        where,
        at,
        inner((r, c) => r.items(c, single)),
      );
    else (s.items as readonly SchemaProps[]).forEach((one, i) => add(one, where, index(at, i), undefined));
  }
  for (const [name, schema] of Object.entries(s.dependencies ?? {}))
    if (!Array.isArray(schema)) add(schema as SchemaProps, place, key(child(path, 'dependencies'), name), undefined);
  found.schema.push(...extensionFaults(s, path, tolerance));
  const own = s['x-kubernetes-validations'] ?? [];
  own.forEach((rule, i) =>
    found.schema.push(...ruleFaults(s, rule, index(child(path, 'x-kubernetes-validations'), i))),
  );
  if (own.length > 0 && found.schema.length === 0 && rules && context !== undefined)
    found.rules.push(...rules.check(context, s, path, place.uncorrelatable));
  return found;
}

/** What is wrong with a schema by its keywords. */
export function keywordRuleFaults<C>(schema: SchemaProps, path: string, options: SchemaRules<C> = {}): Fault[] {
  const place: Place = {
    root: true,
    insideMetadata: false,
    ...(options.noDefaults !== undefined && { noDefaults: options.noDefaults }),
  };
  const found = visit(schema, place, path, options.rules?.root(schema), options);
  return [...found.schema, ...found.rules, ...(options.rules?.finish(path) ?? [])];
}
