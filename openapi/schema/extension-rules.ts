/** Validates the keywords of a schema that Kubernetes has added: `x-kubernetes-...`. */
import type { Fault } from '../../apimachinery/interface.js';
import { append } from '../../lib/collections/append.js';
import { isEnough } from '../../apimachinery/errors/limits.js';
import {
  child,
  forbiddenField,
  invalidValue,
  key,
  notSupported,
  required,
  tooMany,
} from '../../apimachinery/errors/faults.js';
import { readFieldPath } from './field-path.js';
import type { ValidationRule } from '../../apimachinery/codec/interface.js';
import { shownItems } from './internal-form.js';
import { type SchemaProps, itemSchemaOf, propertyOf } from './schema-props.js';

/** The faults that are tolerated because the stored definition has them. */
export interface ExtensionTolerance {
  /** Items of sets that are not compared as a whole. */
  readonly compositeSets?: boolean;
  /** Items of sets and maps, or keys of maps, that may be null or absent. */
  readonly looseKeys?: boolean;
  /** Lists with more keys than are allowed. */
  readonly manyKeys?: boolean;
}

/** Maximum number of keys of a list map. differs: upstream has no limit, and looks up every key in every item. */
const maxListKeys = 16;

/** Reports whether a list has more keys than a new definition may have: each item is looked up by all of them. */
export const hasManyKeys = (s: SchemaProps): boolean => (s['x-kubernetes-list-map-keys'] ?? []).length > maxListKeys;

/** Is separate from `listKeyFaults`, since definitions that were stored before the limit may keep their keys. */
function keyNumberFaults(s: SchemaProps, path: string): Fault[] {
  const keys = s['x-kubernetes-list-map-keys'] ?? [];
  return hasManyKeys(s) ? [tooMany(child(path, 'x-kubernetes-list-map-keys'), keys.length, maxListKeys)] : [];
}

function needType(s: SchemaProps, type: string, keyword: string, path: string): Fault[] {
  if (s.type === type) return [];
  const text = `must be ${type} if ${keyword} is specified`;
  const at = child(path, 'type');
  return [s.type ? invalidValue(at, s.type, text) : required(at, text)];
}

/** Returns the faults of the items of a set, which must be compared as a whole. */
export function setItemFaults(items: SchemaProps, path: string): Fault[] {
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  const at = child(path, 'items');
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalidValue(child(at, 'x-kubernetes-list-type'), listType, text)];
  // Upstream shows the list type, although the map type is wrong.
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalidValue(child(at, 'x-kubernetes-map-type'), listType ?? null, text)];
  return [];
}

function listKeyFaults(s: SchemaProps, items: SchemaProps, path: string): Fault[] {
  const faults: Fault[] = [];
  const keys = s['x-kubernetes-list-map-keys'] ?? [];
  const at = child(path, 'x-kubernetes-list-map-keys');
  const seen = new Set<string>();
  for (const name of keys) {
    if (isEnough(faults)) break;
    const property = propertyOf(items, name);
    if (!property) faults.push(invalidValue(at, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const where = child(key(child(path, 'items', 'properties'), name), 'type');
      const text = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      faults.push(invalidValue(where, items.type, text));
    }
    if (seen.has(name)) faults.push(invalidValue(at, keys, 'must not contain duplicate entries'));
    seen.add(name);
  }
  return faults;
}

function mapListFaults(s: SchemaProps, path: string): Fault[] {
  const faults: Fault[] = [];
  const items = itemSchemaOf(s);
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

/** Checks that items of sets and maps, and keys of maps, cannot be null, and keys cannot be absent. as validateMapListKeysMapSet */
export function presentKeyFaults(s: SchemaProps, path: string): Fault[] {
  const items = itemSchemaOf(s);
  const type = s['x-kubernetes-list-type'];
  if (!items || (type !== 'set' && type !== 'map')) return [];
  const faults: Fault[] = [];
  const at = child(path, 'items');
  if (items.nullable)
    faults.push(forbiddenField(child(at, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${type}`));
  const keys = type === 'map' ? (s['x-kubernetes-list-map-keys'] ?? []) : [];
  const always = new Set(keys.length > 0 ? items.required : []);
  for (const name of keys) {
    const property = propertyOf(items, name);
    if (!property) continue;
    const where = key(child(at, 'properties'), name);
    const why = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!always.has(name) && property.default == null)
      faults.push(required(child(where, 'default'), `${why} must have a default or be a required property`));
    if (property.nullable) faults.push(forbiddenField(child(where, 'nullable'), `${why} cannot be nullable`));
  }
  return faults;
}

/** Returns the faults of all these keywords but x-kubernetes-validations. */
export function extensionFaults(s: SchemaProps, path: string, tolerance: ExtensionTolerance): Fault[] {
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
    const items = itemSchemaOf(s);
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
  if (!tolerance.manyKeys) append(faults, keyNumberFaults(s, path));
  if (!tolerance.looseKeys) append(faults, presentKeyFaults(s, path));
  return faults;
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

/** Returns the faults of a rule, whose expressions are not compiled here. `isSupported`: the schema can be made structural. */
export function ruleFormFaults(s: SchemaProps, rule: ValidationRule, path: string, isSupported: boolean): Fault[] {
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
  if (isSupported && 'error' in readFieldPath(fieldPath, s))
    faults.push(invalidValue(at('fieldPath'), fieldPath, 'must be a valid path'));
  return faults;
}
