/**
 * Preserves the text of JSON in native kinds (runtime.RawExtension), since a client that decodes it with a type may tell 1.0 from 1.
 * as apimachinery/pkg/runtime/extension.go RawExtension
 */
// differs: space between tokens is not preserved; upstream returns it in protobuf only.
import { afterString } from '../../lib/json/after-string.js';
import { jsonText } from '../../lib/json/json.js';
import { compacted, endOfValue, skipSpace } from '../../lib/json/json-text.js';
import { isMap } from '../../lib/json/is-map.js';
import { VerbatimObject } from '../../lib/json/verbatim-object.js';
import type { Schema } from './interface.js';
import { readJson } from './read-json.js';
import { inParts, someSchema } from './some-schema.js';

type Plain = Record<string, unknown>;

/** Returns whether a native type contains a RawExtension. Few types do. */
export const containsRawExtension = someSchema(
  ({ scalar }) => scalar === 'rawExtension',
  (schema, test) => schema.scalar === undefined && inParts(schema, test),
);

/** Returns the value of a text so that it is encoded as this text again; the value itself if its JSON is the text. */
export function verbatim(value: unknown, text: string): unknown {
  if (!isMap(value)) return value;
  const plain = jsonText(value);
  if (plain === text) return value;
  const compact = compacted(text);
  return plain === compact ? value : new VerbatimObject(value, compact);
}

/** Parses a text to such a value. Throws DecodeError. */
export const readVerbatim = (text: string): unknown => verbatim(readJson(text, 'exact'), text);

/** A position in a text, whose value is visited at the same time. */
interface Walk {
  readonly text: string;
  at: number;
}

const schemaOf = (schema: Schema, name: string): Schema | undefined => {
  const { properties, additionalProperties: more } = schema;
  if (properties) return Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof more === 'object' ? more : undefined;
};

function visit(walk: Walk, value: unknown, schema: Schema | undefined): unknown {
  const { text, at } = walk;
  const first = text[at];
  if (schema === undefined || !containsRawExtension(schema) || (first !== '{' && first !== '[')) {
    walk.at = endOfValue(text, at);
    return value;
  }
  if (schema.scalar === 'rawExtension') {
    walk.at = endOfValue(text, at);
    return verbatim(value, text.slice(at, walk.at));
  }
  const isObject = first === '{';
  for (let index = 0, next = skipSpace(text, at + 1); ; index++) {
    if (text[next] === ',') next = skipSpace(text, next + 1);
    if (text[next] === '}' || text[next] === ']') {
      walk.at = next + 1;
      return value;
    }
    let key: string | number = index;
    if (isObject) {
      const end = afterString(text, next);
      key = JSON.parse(text.slice(next, end)) as string;
      next = skipSpace(text, skipSpace(text, end) + 1);
    }
    walk.at = next;
    visitMember(walk, value, key, typeof key === 'string' ? schemaOf(schema, key) : schema.items);
    next = skipSpace(text, walk.at);
  }
}

function visitMember(walk: Walk, value: unknown, key: string | number, schema: Schema | undefined): void {
  const inner =
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Plain)[key] : undefined;
  const made = visit(walk, inner, schema);
  if (made !== inner) (value as Plain)[key] = made;
}

/** Preserves the text of every RawExtension in a value that was just parsed from `text`. Changes the value in place. */
export function preserveVerbatim<T>(value: T, text: string, schema: Schema): T {
  return containsRawExtension(schema) ? (visit({ text, at: skipSpace(text, 0) }, value, schema) as T) : value;
}
