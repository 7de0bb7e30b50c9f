/** The rules of structural schemas. as apiextensions-apiserver/pkg/apiserver/schema validation.go and complete.go */
import { Strides, type InSteps } from '../../lib/time-slice.js';
import type { Fault } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { deepEqual } from '../../lib/json/equality.js';
import { child, forbiddenField, index, invalidValue, key, required } from '../../apimachinery/errors/faults.js';
import { goRegexp } from '../../lib/regexp/go-regexp.js';
import { type SchemaProps, itemSchemaOf, moreOf, propertyOf } from './schema-props.js';

type Level = 'root' | 'item' | 'field';

/** The alternatives that controller-gen adds to x-kubernetes-int-or-string, the only ones that may have types. */
const intOrStringAnyOf = [{ type: 'integer' }, { type: 'string' }];
const isIntOrStringAnyOf = (alternatives: readonly SchemaProps[] | undefined): boolean =>
  alternatives?.length === 2 && deepEqual(alternatives, intOrStringAnyOf);

const property = (path: string, name: string): string => key(child(path, 'properties'), name);

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeFaults(s: SchemaProps, level: Level, path: string): Fault[] {
  const at = child(path, 'type');
  const free = s['x-kubernetes-int-or-string'] || s['x-kubernetes-preserve-unknown-fields'];
  const faults: Fault[] = [];
  if (s['x-kubernetes-embedded-resource'] && s.type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true';
    faults.push(s.type ? invalidValue(at, s.type, text) : required(at, text));
  } else if (!s.type && !free) faults.push(required(at, missingType[level]));
  if (level === 'root' && s.type && s.type !== 'object')
    faults.push(invalidValue(at, s.type, 'must be object at the root'));
  return faults;
}

const isZero = (value: unknown): boolean => value == null || value === false || value === '';

/** Checks a schema of metadata. At the root it may have only a type, and restrict name and generateName. */
function metadataFaults(s: SchemaProps, whole: boolean, level: Level, path: string): Fault[] {
  const faults: Fault[] = [];
  if (whole && s.type !== 'object') faults.push(invalidValue(child(path, 'type'), s.type ?? '', 'must be object'));
  if (level !== 'root') return faults;
  const names = Object.keys(s.properties ?? {});
  const onlyNames = names.length > 0 && names.every(name => name === 'name' || name === 'generateName');
  const allowed = new Set(['type', 'default', ...(onlyNames || names.length === 0 ? ['properties'] : [])]);
  if (Object.entries(s).some(([keyword, value]) => !allowed.has(keyword) && !isZero(value))) {
    const text = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    faults.push(forbiddenField(path, text));
  }
  return faults;
}

function extensionFaults(s: SchemaProps, path: string): Fault[] {
  if (!s['x-kubernetes-int-or-string']) return [];
  const text = 'must be false if x-kubernetes-int-or-string is true';
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter(keyword => s[keyword])
    .map(keyword => invalidValue(child(path, keyword), true, text));
}

function embeddedFaults(s: SchemaProps, path: string): Fault[] {
  if (!s['x-kubernetes-embedded-resource']) return [];
  const faults: Fault[] = [];
  if (s.additionalProperties !== undefined) {
    const text = 'must not be used if x-kubernetes-embedded-resource is set';
    faults.push(forbiddenField(child(path, 'additionalProperties'), text));
  }
  if (!s['x-kubernetes-preserve-unknown-fields'] && Object.keys(s.properties ?? {}).length === 0) {
    const text =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    faults.push(required(child(path, 'properties'), text));
  }
  return faults;
}

/** Collects faults while a schema is walked in steps. */
interface Walk {
  readonly faults: Fault[];
  readonly strides: Strides;
}

function* invariantFaults(s: SchemaProps | undefined, level: Level, path: string, walk: Walk): InSteps<void> {
  if (!s) return;
  const { faults, strides } = walk;
  if (strides.isOver) yield undefined;
  if (s.type === 'array' && s.items === undefined) faults.push(required(child(path, 'items'), 'must be specified'));
  yield* invariantFaults(itemSchemaOf(s), 'item', child(path, 'items'), walk);
  const { properties } = s;
  if (properties)
    for (const name of Object.keys(properties))
      yield* invariantFaults(properties[name], 'field', property(path, name), walk);
  if (s.additionalProperties !== undefined) {
    const at = child(path, 'additionalProperties');
    if (level === 'root') faults.push(forbiddenField(at, 'must not be used at the root'));
    yield* invariantFaults(moreOf(s), 'field', at, walk);
  }
  append(faults, extensionFaults(s, path));
  yield* junctorFaults(s, { anyOf: isIntOrStringAnyOf(s.anyOf), firstAllOf: isFirstAllOf(s) }, path, false, walk);
  append(faults, typeFaults(s, level, path));
  append(faults, embeddedFaults(s, path));
  append(faults, typeMetaFaults(s, level, path));
}

function typeMetaFaults(s: SchemaProps, level: Level, path: string): Fault[] {
  const faults: Fault[] = [];
  const whole = level === 'root' || s['x-kubernetes-embedded-resource'] === true;
  for (const name of whole ? ['kind', 'apiVersion'] : []) {
    const found = propertyOf(s, name);
    if (found && found.type !== 'string')
      faults.push(invalidValue(child(property(path, name), 'type'), found.type ?? '', 'must be string'));
  }
  const metadata = propertyOf(s, 'metadata');
  return metadata ? [...faults, ...metadataFaults(metadata, whole, level, property(path, 'metadata'))] : faults;
}

const isFirstAllOf = (s: SchemaProps): boolean => isIntOrStringAnyOf(s.allOf?.[0]?.anyOf);

/** Alternatives that are not checked, because they are those of x-kubernetes-int-or-string. */
interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const isPlain = ({ allOf, anyOf, oneOf, not, pattern }: SchemaProps): boolean =>
  allOf === undefined && anyOf === undefined && oneOf === undefined && not === undefined && !pattern;

/** Checks the alternatives of a schema, and its pattern. Rules in CEL are not allowed inside of alternatives other than allOf. */
function* junctorFaults(s: SchemaProps, skipped: Skipped, path: string, rules: boolean, walk: Walk): InSteps<void> {
  if (isPlain(s)) return;
  const each = function* (junctor: 'anyOf' | 'allOf' | 'oneOf', allowed: boolean, skipFirst: boolean): InSteps<void> {
    for (const [i, one] of (s[junctor] ?? []).entries())
      yield* nestedFaults(one, skipFirst && i === 0, index(child(path, junctor), i), allowed, walk);
  };
  if (!skipped.anyOf) yield* each('anyOf', false, false);
  yield* each('allOf', rules, skipped.firstAllOf);
  yield* each('oneOf', false, false);
  yield* nestedFaults(s.not, false, child(path, 'not'), false, walk);
  if (!s.pattern) return;
  const regexp = goRegexp(s.pattern);
  if ('error' in regexp) {
    const text = `must be a valid regular expression, but isn't: ${regexp.error}`;
    walk.faults.push(invalidValue(child(path, 'pattern'), s.pattern, text));
  }
  yield undefined;
}

/** Keywords that are forbidden inside of alternatives, with their messages. */
const forbiddenInside: readonly (readonly [keyword: keyof SchemaProps, text: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
];

function* nestedFaults(
  s: SchemaProps | undefined,
  skipAnyOf: boolean,
  path: string,
  rules: boolean,
  walk: Walk,
): InSteps<void> {
  if (!s) return;
  const { faults, strides } = walk;
  if (strides.isOver) yield undefined;
  yield* junctorFaults(s, { anyOf: skipAnyOf, firstAllOf: false }, path, rules, walk);
  yield* nestedFaults(itemSchemaOf(s), false, child(path, 'items'), rules, walk);
  const { properties } = s;
  if (properties)
    for (const name of Object.keys(properties))
      yield* nestedFaults(properties[name], false, property(path, name), rules, walk);
  for (const [keyword, text] of forbiddenInside) {
    const value = s[keyword];
    const isSet = Array.isArray(value) ? value.length > 0 : !isZero(value);
    if (isSet) faults.push(forbiddenField(child(path, keyword), text));
  }
  if (s['x-kubernetes-validations']?.length && !rules)
    faults.push(forbiddenField(child(path, 'x-kubernetes-validations'), 'must be empty to be structural'));
  if (propertyOf(s, 'metadata'))
    faults.push(forbiddenField(property(path, 'metadata'), 'must not be specified in a nested context'));
}

/** A schema inside of an alternative, with its path. */
interface Alternative {
  readonly schema: SchemaProps | undefined;
  readonly path: string;
}

/**
 * Checks that every field in an alternative is also declared outside of it. `s` is the schema at `path`. As upstream, only the alternatives
 * of the root are checked.
 */
function* completenessFaults(v: Alternative, s: SchemaProps | undefined, path: string, walk: Walk): InSteps<void> {
  const { schema, path: from } = v;
  if (!schema) return;
  if (walk.strides.isOver) yield undefined;
  if (!s) {
    walk.faults.push(required(path, `because it is defined in ${from}`));
    return;
  }
  yield* alternativesFaults(schema, s, path, from, walk);
  const items = { schema: itemSchemaOf(schema), path: child(from, 'items') };
  yield* completenessFaults(items, itemSchemaOf(s), child(path, 'items'), walk);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const one = { schema: inner, path: property(from, name) };
    yield* completenessFaults(one, propertyOf(s, name), property(path, name), walk);
  }
}

function* alternativesFaults(v: SchemaProps, s: SchemaProps, path: string, from: string, walk: Walk): InSteps<void> {
  yield* completenessFaults({ schema: v.not, path: child(from, 'not') }, s, path, walk);
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [i, schema] of (v[junctor] ?? []).entries())
      yield* completenessFaults({ schema, path: index(child(from, junctor), i) }, s, path, walk);
}

/** Returns the reasons why a schema is not structural, sorted by text, in steps. */
export function* structuralFaults(schema: SchemaProps, path: string): InSteps<Fault[]> {
  const walk: Walk = { faults: [], strides: new Strides() };
  yield* invariantFaults(schema, 'root', path, walk);
  yield* alternativesFaults(schema, schema, path, path, walk);
  const texts = walk.faults.map(fault => ({ fault, text: `${fault.path}: ${fault.message}` }));
  yield undefined;
  return texts.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ fault }) => fault);
}
