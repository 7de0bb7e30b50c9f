/** The rules of structural schemas. as apiextensions-apiserver/pkg/apiserver/schema validation.go and complete.go */
import type { Fault } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { child, forbiddenField, index, invalidValue, key, required } from '../../apimachinery/errors/faults.js';
import { goRegexp } from '../../lib/regexp/go-regexp.js';
import { type SchemaProps, itemsOf, moreOf, propertyOf } from './schema-props.js';

type Level = 'root' | 'item' | 'field';

/** What controller-gen writes beside x-kubernetes-int-or-string, the one place where types may stand in alternatives. */
const intOrStringAnyOf = [{ type: 'integer' }, { type: 'string' }];
const isIntOrStringAnyOf = (alternatives: readonly SchemaProps[] | undefined): boolean =>
  deepEqual(alternatives, intOrStringAnyOf);

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

/** At the root, metadata may say its type, and restrict name and generateName. */
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

function invariantFaults(s: SchemaProps | undefined, level: Level, path: string): Fault[] {
  if (!s) return [];
  const faults: Fault[] = [];
  if (s.type === 'array' && s.items === undefined) faults.push(required(child(path, 'items'), 'must be specified'));
  faults.push(...invariantFaults(itemsOf(s), 'item', child(path, 'items')));
  for (const [name, schema] of Object.entries(s.properties ?? {}))
    faults.push(...invariantFaults(schema, 'field', property(path, name)));
  if (s.additionalProperties !== undefined) {
    const at = child(path, 'additionalProperties');
    if (level === 'root') faults.push(forbiddenField(at, 'must not be used at the root'));
    faults.push(...invariantFaults(moreOf(s), 'field', at));
  }
  faults.push(
    ...extensionFaults(s, path),
    ...junctorFaults(s, isIntOrStringAnyOf(s.anyOf), isFirstAllOf(s), path, false),
  );
  faults.push(...typeFaults(s, level, path), ...embeddedFaults(s, path));
  const whole = level === 'root' || s['x-kubernetes-embedded-resource'] === true;
  for (const name of whole ? ['kind', 'apiVersion'] : []) {
    const found = propertyOf(s, name);
    if (found && found.type !== 'string')
      faults.push(invalidValue(child(property(path, name), 'type'), found.type ?? '', 'must be string'));
  }
  const metadata = propertyOf(s, 'metadata');
  if (metadata) faults.push(...metadataFaults(metadata, whole, level, property(path, 'metadata')));
  return faults;
}

const isFirstAllOf = (s: SchemaProps): boolean => isIntOrStringAnyOf(s.allOf?.[0]?.anyOf);

/** The alternatives of a schema, and its pattern. Inside alternatives other than allOf, rules in CEL are never allowed. */
function junctorFaults(
  s: SchemaProps,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
  path: string,
  rules: boolean,
): Fault[] {
  const faults: Fault[] = [];
  if (!skipAnyOf)
    s.anyOf?.forEach((one, i) => faults.push(...nestedFaults(one, false, index(child(path, 'anyOf'), i), false)));
  s.allOf?.forEach((one, i) =>
    faults.push(...nestedFaults(one, skipFirstAllOf && i === 0, index(child(path, 'allOf'), i), rules)),
  );
  s.oneOf?.forEach((one, i) => faults.push(...nestedFaults(one, false, index(child(path, 'oneOf'), i), false)));
  faults.push(...nestedFaults(s.not, false, child(path, 'not'), false));
  if (s.pattern) {
    const regexp = goRegexp(s.pattern);
    if ('error' in regexp) {
      const text = `must be a valid regular expression, but isn't: ${regexp.error}`;
      faults.push(invalidValue(child(path, 'pattern'), s.pattern, text));
    }
  }
  return faults;
}

/** What may not be said inside of alternatives, with the texts. */
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

function nestedFaults(s: SchemaProps | undefined, skipAnyOf: boolean, path: string, rules: boolean): Fault[] {
  if (!s) return [];
  const faults = junctorFaults(s, skipAnyOf, false, path, rules);
  faults.push(...nestedFaults(itemsOf(s), false, child(path, 'items'), rules));
  for (const [name, schema] of Object.entries(s.properties ?? {}))
    faults.push(...nestedFaults(schema, false, property(path, name), rules));
  for (const [keyword, text] of forbiddenInside) {
    const value = s[keyword];
    const said = Array.isArray(value) ? value.length > 0 : !isZero(value);
    if (said) faults.push(forbiddenField(child(path, keyword), text));
  }
  if (s['x-kubernetes-validations']?.length && !rules)
    faults.push(forbiddenField(child(path, 'x-kubernetes-validations'), 'must be empty to be structural'));
  if (propertyOf(s, 'metadata'))
    faults.push(forbiddenField(property(path, 'metadata'), 'must not be specified in a nested context'));
  return faults;
}

/**
 * Whatever alternatives speak of must be declared outside of them. `s` is the schema at `path`, `v` the alternative at `from`.
 * Quirk: only the alternatives of the root are asked.
 */
function completenessFaults(
  v: SchemaProps | undefined,
  s: SchemaProps | undefined,
  path: string,
  from: string,
): Fault[] {
  if (!v) return [];
  if (!s) return [required(path, `because it is defined in ${from}`)];
  const faults = alternativesFaults(v, s, path, from);
  faults.push(...completenessFaults(itemsOf(v), itemsOf(s), child(path, 'items'), child(from, 'items')));
  for (const [name, inner] of Object.entries(v.properties ?? {})) {
    const declared = propertyOf(s, name);
    faults.push(...completenessFaults(inner, declared, property(path, name), property(from, name)));
  }
  return faults;
}

function alternativesFaults(v: SchemaProps, s: SchemaProps, path: string, from: string): Fault[] {
  const faults = completenessFaults(v.not, s, path, child(from, 'not'));
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const)
    v[junctor]?.forEach((one, i) => faults.push(...completenessFaults(one, s, path, index(child(from, junctor), i))));
  return faults;
}

/** What keeps a schema from being structural, sorted by text. */
export function structuralFaults(schema: SchemaProps, path: string): Fault[] {
  const faults = [...invariantFaults(schema, 'root', path), ...alternativesFaults(schema, schema, path, path)];
  const text = (f: Fault): string => `${f.path}: ${f.message}`;
  return faults.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}
