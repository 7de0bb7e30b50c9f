/**
 * What is written in a patch and no value tells: that a whole number is a float, and how numbers and texts are spelled. Patches that have
 * such numbers hold Literals; all others are plain JSON.
 */
import type { KubeObject } from '../interface.js';
import { setKey } from '../../lib/json/clone.js';
import { jsonText, mayHoldLong, narrowed, numberValue } from '../../lib/json/json.js';
import { Literal, isText, textOf } from '../../lib/json/literal.js';
import { Written } from '../../lib/json/written.js';
import { atOnce, type InSteps } from '../../lib/time-slice.js';
import { DecodeError } from '../codec/decode-error.js';
import { jsonSteps, tooLarge } from '../codec/decode.js';
import { inspectFields } from '../codec/fields.js';
import { type Floats, isWholeFloat } from '../codec/floats.js';
import type { Schema } from '../codec/interface.js';
import { spelled as spelledAs } from '../codec/spelled.js';
import { ObjectNode, parseStrict } from '../codec/strict-json.js';

/** `text`: it goes into the text of the object (JSON and merge patches). `value`: Go reads it without types (strategic ones). */
export type Reading = 'text' | 'value';

export interface PatchBody {
  readonly value: unknown;
  /** Whether some object says a field twice. */
  readonly repeated: boolean;
  /** Whether there may be Literals in the value, or whole numbers beyond int64. */
  readonly literals: boolean;
  /** Whether some number is beyond float64. */
  readonly beyond: boolean;
}

/** What Go writes otherwise than most do, or may be written otherwise than Go does. */
const spelled = /[<>&\\\u2028\u2029]/;

/** Parses the text of a patch. Throws DecodeError. */
export function readPatch(text: string, reading: Reading): PatchBody {
  return atOnce(patchSteps(text, reading));
}

/** Does what `readPatch` does, in steps. hot: a patch without floats is parsed once, and is its value. */
export function* patchSteps(text: string, reading: Reading): InSteps<PatchBody> {
  const { value, repeated, floats, beyond } = yield* jsonSteps(text, reading === 'text' ? 'exact' : 'float64');
  // Only the operation `test` looks at how texts are spelled.
  const keepsTexts = reading === 'text' && text.includes('"test"') && spelled.test(text);
  if (!floats && !keepsTexts) return { value, repeated, beyond, literals: reading === 'text' && mayHoldLong(text) };
  const same = new Map<unknown, Literal>();
  const only = (key: unknown, literal: Literal): Literal => {
    const known = same.get(key);
    if (!known) same.set(key, literal);
    return known ?? literal;
  };
  const scalar = (literal: Literal): unknown => {
    if (reading === 'text') return plainOf(literal) ?? only(literal.text, literal);
    const found = isText(literal) ? undefined : numberValue(literal.text);
    if (!Number.isSafeInteger(found)) return found;
    return /[.eE]/.test(literal.text) ? only(found, literal) : Number(found) + 0;
  };
  return { value: plainTree(parseStrict(text, { keepsTexts }), scalar), repeated, beyond, literals: true };
}

/** A number that is written so whoever writes it. */
function plainOf(literal: Literal): unknown {
  const found = isText(literal) ? undefined : numberValue(literal.text, 'exact');
  return String(found) === literal.text ? found : undefined;
}

/** What was unfolded, by what it was unfolded to: a patch that leaves it alone leaves its spelling. */
const folds = new WeakMap<object, Written>();

/** A value with literals in place of what was spelled; shares what was not. */
export function unfolded<T>(value: T): T {
  if (!(value instanceof Written)) return withParts(value, unfolded);
  const tree = plainTree(parseStrict(Written.textOf(value)), literal => plainOf(literal) ?? literal) as T & object;
  folds.set(tree, value);
  return tree;
}

/** The tree of a strict reader as plain JSON; of a field that stands twice the last. */
function plainTree(node: unknown, scalar: (literal: Literal) => unknown): unknown {
  if (node instanceof Literal) return scalar(node);
  if (Array.isArray(node)) return node.map(item => plainTree(item, scalar));
  if (!(node instanceof ObjectNode)) return node;
  const out: Record<string, unknown> = {};
  for (const [key, inner] of node.entries) setKey(out, key, plainTree(inner, scalar));
  return out;
}

type Replace = (literal: Literal, schema: Schema | undefined, path: readonly string[]) => unknown;

/** What no type knows: it is not read. */
const unread: Schema = {};

function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema === unread) return unread;
  if (!schema || schema.scalar) return undefined;
  const { properties, additionalProperties: more } = schema;
  if (properties) return Object.hasOwn(properties, name) ? properties[name] : unread;
  return typeof more === 'object' ? more : undefined;
}

const itemSchema = (schema: Schema | undefined): Schema | undefined => (schema === unread ? unread : schema?.items);

/** The value with its literals replaced; shares what has none. */
function replaced(value: unknown, schema: Schema | undefined, by: Replace, path: readonly string[] = []): unknown {
  if (value instanceof Literal) return by(value, schema, path);
  if (typeof value !== 'object' || value === null) return value;
  const raw = schema?.scalar === 'rawExtension';
  const fold = raw ? folds.get(value) : undefined;
  if (fold) return fold;
  const list = Array.isArray(value);
  const made = withParts(value, (part, key) =>
    replaced(part, list ? itemSchema(schema) : fieldSchema(schema, key), by, [...path, key]),
  );
  return raw && made !== value ? spelledAs(made, jsonText(value)) : made;
}

/** The same with other parts; itself when they are the same. */
function withParts<T>(value: T, partOf: (part: unknown, key: string) => unknown): T {
  if (typeof value !== 'object' || value === null) return value;
  let changed = false;
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  const isList = Array.isArray(value);
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    const made = partOf(part, key);
    changed ||= made !== part;
    if (isList) list.push(made);
    else setKey(object, key, made);
  }
  return changed ? ((isList ? list : object) as T) : value;
}

/** The same with texts as texts; numbers stay literals. */
export const withTexts = <T>(value: T): T =>
  replaced(value, undefined, literal => (isText(literal) ? textOf(literal) : literal)) as T;

/** A finite number, or DecodeError. */
function finite(literal: Literal, precision: 'float64' | 'exact'): unknown {
  const number = numberValue(literal.text, precision);
  if (!Number.isFinite(Number(number))) throw tooLarge(literal.text);
  return number;
}

/** What was patched, as Go reads its text into a native type. Throws DecodeError for a literal that does not fit its place. */
export function readAsType<T>(value: T, schema: Schema): T {
  const { error } = inspectFields(value, schema);
  if (error !== undefined) throw new DecodeError(error);
  const number: Replace = (literal, at) => {
    if (at === unread) return null;
    return at?.scalar === 'quantity' ? literal.text : finite(literal, 'exact');
  };
  return replaced(value, schema, number) as T;
}

/** The same of a strategic patch, whose numbers are values already. */
export const readValues = <T>(value: T): T => replaced(value, undefined, literal => Number(literal.text)) as T;

/** What was patched, as Go reads its text without type. Throws DecodeError. */
export function readUntyped(value: KubeObject): { readonly object: KubeObject; readonly floats: Floats } {
  const floats: (readonly string[])[] = [];
  const object = replaced(value, undefined, (literal, _, path) => {
    if (isWholeFloat(literal)) floats.push(path);
    return finite(literal, 'float64');
  });
  return { object: narrowed(object) as KubeObject, floats };
}
