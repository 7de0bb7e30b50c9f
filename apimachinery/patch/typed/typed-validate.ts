/** Validates a value against its shape. */
import type { JsonObject } from '../../interface.js';
import { isNumeric } from '../../../lib/json/json.js';
import type { InSteps, Strides } from '../../../lib/time-slice.js';
import { isEnough, maxFaults, shortened, shortenedValue } from '../../errors/limits.js';
import { goSyntax, goType, goValue } from '../go-value.js';
import { isObject } from '../json.js';
import { fieldElement, printPath, type PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { atomOf, fieldShape, formOf, itemKey } from './typed.js';
import { newStrides } from './field-set-steps.js';

interface Check {
  readonly path: PathElement[];
  readonly faults: string[];
  readonly duplicates: 'allowed' | 'refused';
}

function fault(check: Check, text: string): void {
  if (isEnough(check.faults)) return;
  const path = printPath(check.path);
  check.faults.push(shortened(path === '' ? text : `${path}: ${text}`));
}

// Upstream prints the struct around a value.
const wrapped = (value: unknown): string => `&{${goValue(shortenedValue(value))}}`;

const scalarRules: Readonly<
  Record<NonNullable<Shape['scalar']>, { fits(value: unknown): boolean; text(value: unknown): string }>
> = {
  numeric: {
    fits: isNumeric,
    text: value => `expected numeric (int or float), got ${goType(value)}`,
  },
  string: {
    fits: value => typeof value === 'string',
    text: value => `expected string, got &value.valueUnstructured{Value:${goSyntax(shortenedValue(value))}}`,
  },
  boolean: { fits: value => typeof value === 'boolean', text: value => `expected boolean, got ${wrapped(value)}` },
  untyped: { fits: value => typeof value !== 'object', text: value => `expected any scalar, got ${wrapped(value)}` },
};

/** Returns whether a value is a valid scalar. hot: a map may have hundreds of thousands of strings, whose paths are not needed. */
const isValidScalar = (value: unknown, { only, scalar = 'untyped' }: Shape): boolean =>
  only === 'scalar' && scalarRules[scalar].fits(value);

function checkMap(value: unknown, map: MapShape, check: Check): void {
  if (!isObject(value)) {
    fault(check, `expected map, got ${wrapped(value)}`);
    return;
  }
  for (const name of Object.keys(value)) {
    if (isEnough(check.faults)) return;
    const field = fieldShape(map, name);
    if (field && isValidScalar(value[name], field)) continue;
    check.path.push(fieldElement(name));
    if (field) walk(value[name], field, check);
    else fault(check, 'field not declared in schema');
    check.path.pop();
    if (!field) return;
  }
}

function checkList(value: unknown, list: ListShape, check: Check): void {
  if (!Array.isArray(value)) {
    fault(check, `expected list, got ${wrapped(value)}`);
    return;
  }
  const seen = new Set<PathElement>();
  for (const [i, item] of (value as unknown[]).entries()) {
    if (!enterItem(item, i, list, check, seen)) return;
    walk(item, list.element(), check);
    check.path.pop();
  }
}

/** Checks the element of an item, and adds it to the path. Returns false if the check of the list is over. */
function enterItem(item: unknown, i: number, list: ListShape, check: Check, seen: Set<PathElement>): boolean {
  if (isEnough(check.faults)) return false;
  const key = list.atomic ? { element: `i:${i}` } : itemKey(list, item);
  if ('fault' in key) {
    fault(check, `element ${i}: ${key.fault}`);
    return false;
  }
  if (seen.has(key.element) && check.duplicates === 'refused')
    fault(check, `duplicate entries for key ${printPath([key.element])}`);
  seen.add(key.element);
  check.path.push(key.element);
  return true;
}

function walk(value: unknown, shape: Shape, check: Check): void {
  if (value === null || value === undefined) return;
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'map') checkMap(value, atom.map, check);
  else if (atom.form === 'list') checkList(value, atom.list, check);
  else {
    const rule = scalarRules[shape.scalar ?? 'untyped'];
    if (!rule.fits(value)) fault(check, rule.text(value));
  }
}

/** As `walk`. */
function* walkInSteps(value: unknown, shape: Shape, check: Check, strides: Strides): InSteps<void> {
  if (typeof value !== 'object' || value === null) return walk(value, shape, check);
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'map' && isObject(value)) yield* checkMapInSteps(value, atom.map, check, strides);
  else if (atom.form === 'list' && Array.isArray(value)) yield* checkListInSteps(value, atom.list, check, strides);
  else walk(value, shape, check);
}

function* checkMapInSteps(value: JsonObject, map: MapShape, check: Check, strides: Strides): InSteps<void> {
  for (const name of Object.keys(value)) {
    if (strides.isOver) yield;
    if (isEnough(check.faults)) return;
    const field = fieldShape(map, name);
    if (field && isValidScalar(value[name], field)) continue;
    check.path.push(fieldElement(name));
    if (field) yield* walkInSteps(value[name], field, check, strides);
    else fault(check, 'field not declared in schema');
    check.path.pop();
    if (!field) return;
  }
}

function* checkListInSteps(items: readonly unknown[], list: ListShape, check: Check, strides: Strides): InSteps<void> {
  const seen = new Set<PathElement>();
  for (const [i, item] of items.entries()) {
    if (strides.isOver) yield;
    if (!enterItem(item, i, list, check, seen)) return;
    if (typeof item === 'object') yield* walkInSteps(item, list.element(), check, strides);
    else walk(item, list.element(), check);
    check.path.pop();
  }
}

function faultText({ faults }: Check): string | undefined {
  if (faults.length < 2) return faults[0];
  const lines = faults.slice(0, maxFaults);
  const more = faults.length - lines.length;
  if (more > 0) lines.push(`and at least ${more} more`);
  return ['errors:', ...lines.map(text => `  ${text}`)].join('\n');
}

type Duplicates = Check['duplicates'];

/**
 * Returns the faults of a value as one text: `.spec.x: field not declared in schema`, or several lines below `errors:`. Undefined for a valid
 * value.
 * as structured-merge-diff/typed TypedValue.Validate
 */
export function typedFault(value: unknown, shape: Shape, duplicates: Duplicates = 'refused'): string | undefined {
  const check: Check = { path: [], faults: [], duplicates };
  walk(value, shape, check);
  return faultText(check);
}

/** Returns what `typedFault` returns, in steps of a few milliseconds, for large values. */
export function* typedFaultInSteps(
  value: unknown,
  shape: Shape,
  duplicates: Duplicates = 'refused',
): InSteps<string | undefined> {
  const check: Check = { path: [], faults: [], duplicates };
  yield* walkInSteps(value, shape, check, newStrides());
  return faultText(check);
}
