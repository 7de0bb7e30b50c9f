/**
 * Finds whole numbers in the notation of floats (`1.0`) in custom resources. Go decodes them without a type, as float64, until the object is
 * stored and read again.
 */
import { setKey } from '../../lib/json/clone.js';
import { Literal } from '../../lib/json/literal.js';
import { fieldSchema } from './correlation.js';
import type { Schema } from './interface.js';
import { ObjectNode, parseStrict } from './strict-json.js';

/** The paths of such numbers; items of lists by their index. */
export type Floats = readonly (readonly string[])[];

/** Returns whether a number is written as a float, but stored as an int. */
export function isWholeFloat({ text }: Literal): boolean {
  const value = Number(text);
  return /[.eE]/.test(text) && Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** Matches numbers with only zeros after the point, or with an exponent, and sometimes a part of a string. */
const mayBeWhole = /\d\.0*[\s,\]}]|\d[eE]/;

/** Returns the paths of such numbers in a valid JSON text. hot: nearly always there are none, and the text is not parsed. */
export function floatsIn(text: string): Floats {
  if (!mayBeWhole.test(text)) return [];
  const floats: (readonly string[])[] = [];
  const walk = (node: unknown, path: readonly string[]): void => {
    if (node instanceof Literal && isWholeFloat(node)) floats.push(path);
    else if (Array.isArray(node)) node.forEach((item, i) => walk(item, [...path, String(i)]));
    else if (node instanceof ObjectNode) for (const [key, inner] of node.entries) walk(inner, [...path, key]);
  };
  walk(parseStrict(text), []);
  return floats;
}

/** Returns the value with Literals at the paths where the schema has ints, since Go refuses floats there. Shares all other parts. */
export function withFloats<T>(value: T, floats: Floats, schema: Schema): T {
  return floats.reduce<unknown>((made, path) => withFloat(made, path, schema), value) as T;
}

function withFloat(value: unknown, [name, ...rest]: readonly string[], schema: Schema | undefined): unknown {
  if (name === undefined) {
    const isInt = schema?.type === 'integer' || schema?.['x-kubernetes-int-or-string'] === true;
    return isInt && typeof value === 'number' ? new Literal(String(value)) : value;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
  const before = (value as Record<string, unknown>)[name];
  const after = withFloat(before, rest, Array.isArray(value) ? schema?.items : schema && fieldSchema(schema, name));
  if (after === before) return value;
  if (Array.isArray(value)) return value.map((item: unknown, i) => (i === Number(name) ? after : item));
  const out = { ...value } as Record<string, unknown>;
  setKey(out, name, after);
  return out;
}
