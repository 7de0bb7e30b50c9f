/**
 * Preserves information of a patch that its parsed value does not have: that a whole number is a float, and the notation of numbers and
 * strings. Such scalars are Literals; all others are plain JSON.
 */
import type { JsonObject, KubeObject } from '../interface.js';
import { setKey } from '../../lib/json/clone.js';
import { jsonText, type LargeIntegers, mayContainLargeInteger, narrowed, numberValue } from '../../lib/json/json.js';
import { LargeValues } from '../../lib/json/large-values.js';
import { Literal, isStringLiteral, stringOf } from '../../lib/json/literal.js';
import { VerbatimObject } from '../../lib/json/verbatim-object.js';
import { type InSteps, Strides, atOnce } from '../../lib/time-slice.js';
import { DecodeError } from '../codec/decode-error.js';
import { type DecodedJson, decodeJson, floatOverflow, jsonSteps } from '../codec/decode.js';
import { inspectFields } from '../codec/fields.js';
import { type Floats, isWholeFloat } from '../codec/floats.js';
import type { Schema } from '../codec/interface.js';
import { verbatim } from '../codec/verbatim-json.js';
import { ObjectNode, parseStrict } from '../codec/strict-json.js';
import { OpenedObject } from './opened-object.js';

/** `text`: the patch changes the JSON of the object (JSON and merge patches). `value`: Go decodes it without types (strategic patches). */
export type Reading = 'text' | 'value';

export interface PatchBody {
  readonly value: unknown;
  /** Whether an object has duplicate keys. */
  readonly repeated: boolean;
  /** Whether the value may contain Literals, or integers beyond int64. */
  readonly literals: boolean;
  /** Whether a number is too large for float64. */
  readonly overflows: boolean;
}

/** Matches characters that can be written in several ways in a JSON string, and which Go escapes. */
const escapable = /[<>&\\\u2028\u2029]/;

/** Parses the text of a patch. Throws DecodeError. */
export function readPatch(text: string, reading: Reading): PatchBody {
  return atOnce(patchIn(text, decodeJson(text, largeIntegersOf(reading)), reading));
}

/** `readPatch` in steps, for a text of any length. */
export function* patchSteps(text: string, reading: Reading): InSteps<PatchBody> {
  const json = yield* jsonSteps(text, largeIntegersOf(reading));
  yield;
  return yield* patchIn(text, json, reading);
}

const largeIntegersOf = (reading: Reading): LargeIntegers => (reading === 'text' ? 'exact' : 'float64');

/** hot: a patch without floats is only parsed. */
function* patchIn(
  text: string,
  { value, repeated, floats, overflows }: DecodedJson,
  reading: Reading,
): InSteps<PatchBody> {
  // Only the operation `test` compares the notation of strings.
  const keepsTexts = reading === 'text' && text.includes('"test"') && escapable.test(text);
  if (!floats && !keepsTexts)
    return { value, repeated, overflows, literals: reading === 'text' && mayContainLargeInteger(text) };
  const literals = new Map<unknown, Literal>();
  const shared = (key: unknown, literal: Literal): Literal => {
    const known = literals.get(key);
    if (!known) literals.set(key, literal);
    return known ?? literal;
  };
  const scalar = (literal: Literal): unknown => {
    if (reading === 'text') return plainOf(literal) ?? shared(literal.text, literal);
    const found = isStringLiteral(literal) ? undefined : numberValue(literal.text);
    if (!Number.isSafeInteger(found)) return found;
    return /[.eE]/.test(literal.text) ? shared(found, literal) : Number(found) + 0;
  };
  const tree = parseStrict(text, { keepsTexts });
  yield;
  return { value: plainTree(tree, scalar), repeated, overflows, literals: true };
}

/** Returns the number of a literal that is in canonical notation; undefined for others. */
function plainOf(literal: Literal): unknown {
  const found = isStringLiteral(literal) ? undefined : numberValue(literal.text, 'exact');
  return String(found) === literal.text ? found : undefined;
}

/** The objects that `withLiterals` replaced, by their replacement: a patch that does not change it preserves the text. */
const originals = new WeakMap<object, VerbatimObject>();

/** Replaces each VerbatimObject in a value by a plain object with Literals. Shares all other parts. */
export function withLiterals<T>(value: T): T {
  if (!(value instanceof VerbatimObject)) return withParts(value, withLiterals);
  const tree = plainTree(parseStrict(VerbatimObject.textOf(value)), literal => plainOf(literal) ?? literal) as T &
    object;
  originals.set(tree, value);
  return tree;
}

/** Returns a tree of `parseStrict` as plain JSON, with the last of duplicate keys. */
function plainTree(node: unknown, scalar: (literal: Literal) => unknown): unknown {
  if (node instanceof Literal) return scalar(node);
  if (Array.isArray(node)) return node.map(item => plainTree(item, scalar));
  if (!(node instanceof ObjectNode)) return node;
  const out: Record<string, unknown> = {};
  for (const [key, inner] of node.entries) setKey(out, key, plainTree(inner, scalar));
  return out;
}

type Replace = (literal: Literal, schema: Schema | undefined) => unknown;

/** The schema of fields that the type does not declare. They are not decoded. */
const unread: Schema = {};

function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema === unread) return unread;
  if (!schema || schema.scalar) return undefined;
  const { properties, additionalProperties: more } = schema;
  if (properties) return Object.hasOwn(properties, name) ? properties[name] : unread;
  return typeof more === 'object' ? more : undefined;
}

const itemSchema = (schema: Schema | undefined): Schema | undefined => (schema === unread ? unread : schema?.items);

/** Returns the value with its Literals replaced. Shares parts without any. */
function replaced(value: unknown, schema: Schema | undefined, by: Replace): unknown {
  if (value instanceof Literal) return by(value, schema);
  if (typeof value !== 'object' || value === null) return value;
  const raw = schema?.scalar === 'rawExtension';
  const original = raw ? originals.get(value) : undefined;
  if (original) return original;
  const list = Array.isArray(value);
  const made = withParts(value, (part, key) =>
    replaced(part, list ? itemSchema(schema) : fieldSchema(schema, key), by),
  );
  return raw && made !== value ? verbatim(made, jsonText(value)) : made;
}

/** Returns the value with its parts replaced; the value itself if they do not change. */
function withParts<T>(value: T, partOf: (part: unknown, key: string) => unknown): T {
  if (typeof value !== 'object' || value === null) return value;
  let out: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    const made = partOf(part, key);
    if (made !== part) setKey((out ??= copyOf(value)), key, made);
  }
  return (out as T | undefined) ?? value;
}

/** Returns a copy of an object or a list, one level deep. */
const copyOf = (value: object): Record<string, unknown> =>
  (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;

/** Returns the value with strings in place of the Literals of strings. Those of numbers stay. */
export const withTexts = <T>(value: T): T =>
  replaced(value, undefined, literal => (isStringLiteral(literal) ? stringOf(literal) : literal)) as T;

/** Returns the number of a literal. Throws DecodeError if it is too large for float64. */
function finite(literal: Literal, precision: 'float64' | 'exact'): unknown {
  const number = numberValue(literal.text, precision);
  if (!Number.isFinite(Number(number))) throw floatOverflow(literal.text);
  return number;
}

/** Returns a patched object as Go decodes its JSON into a native type. Throws DecodeError for a literal of a wrong type. */
export function readAsType<T>(value: T, schema: Schema): T {
  const { error } = inspectFields(value, schema);
  if (error !== undefined) throw new DecodeError(error);
  const number: Replace = (literal, at) => {
    if (at === unread) return null;
    return at?.scalar === 'quantity' ? literal.text : finite(literal, 'exact');
  };
  return replaced(value, schema, number) as T;
}

/** Returns an object after a strategic patch, for which Go converts numbers without their text. */
export const readValues = <T>(value: T): T => replaced(value, undefined, literal => Number(literal.text)) as T;

/** A patched object, with the paths of its integral floats. */
interface Untyped {
  readonly object: KubeObject;
  readonly floats: Floats;
}

/** Returns a patched object as Go decodes its JSON without a type. Throws DecodeError. */
export const readUntyped = (value: KubeObject): Untyped => atOnce(readUntypedSteps(value));

/** Values that are read in one step, which takes about a millisecond. */
const maxValuesPerStep = 1000;

/** As `readUntyped`, in steps, for objects that may be large. The first step does nothing: other work may have used up this turn. */
export function* readUntypedSteps(value: KubeObject): InSteps<Untyped> {
  const reader = new UntypedReader();
  const object = (yield) === true ? reader.read(value) : yield* reader.readSteps(value);
  return { object: object as KubeObject, floats: reader.floats };
}

/** Reads values as Go decodes their JSON without types. Shares parts that do not change. */
class UntypedReader {
  readonly floats: (readonly string[])[] = [];
  readonly #large = new LargeValues(maxValuesPerStep);
  /** The path of the value that is read. */
  readonly #path: string[] = [];

  read(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || value instanceof Literal) return this.#scalar(value);
    return withParts(value, (part, key) => {
      if (typeof part !== 'object') return this.#scalar(part);
      this.#path.push(key);
      const made = this.read(part);
      this.#path.pop();
      return made;
    });
  }

  *readSteps(value: unknown): InSteps<unknown> {
    if (typeof value !== 'object' || value === null || value instanceof Literal || !this.#large.isLarge(value))
      return this.read(value);
    const strides = new Strides();
    const out = new OpenedObject(value as JsonObject);
    let changed = false;
    for (const key of this.#large.keysOf(value as JsonObject)) {
      const part = (value as JsonObject)[key];
      this.#path.push(key);
      const made = typeof part === 'object' ? yield* this.readSteps(part) : this.#scalar(part);
      this.#path.pop();
      changed ||= made !== part;
      if (made !== part) out.set(key, made);
      if (strides.isOver) yield;
    }
    if (!changed) return value;
    if (!Array.isArray(value)) return yield* out.plainSteps('kept');
    return (value as readonly unknown[]).map((item, i) => out.get(String(i)) ?? item);
  }

  #scalar(value: unknown): unknown {
    if (typeof value === 'bigint') return narrowed(value);
    if (!(value instanceof Literal)) return value;
    if (isStringLiteral(value)) return stringOf(value);
    if (isWholeFloat(value)) this.floats.push([...this.#path]);
    return finite(value, 'float64');
  }
}
