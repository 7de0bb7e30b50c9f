/**
 * JSON inside of native kinds (runtime.RawExtension) stays as it was spelled, whatever else happens to the object: 1.0 is not 1 to whoever reads
 * it with a type. as apimachinery/pkg/runtime/extension.go RawExtension
 */
// differs: space between tokens is not kept; upstream shows it in protobuf only.
import { jsonText } from '../../lib/json/json.js';
import { compacted, endOfText, endOfValue, skipSpace } from '../../lib/json/json-text.js';
import { isMap } from '../../lib/json/is-map.js';
import { Written } from '../../lib/json/written.js';
import type { Schema } from './interface.js';
import { readJson } from './read-json.js';
import { inParts, someSchema } from './some-schema.js';

type Plain = Record<string, unknown>;

/** Whether there is a place for such JSON in a native type. A few types have one. */
export const holdsJson = someSchema(
  ({ scalar }) => scalar === 'rawExtension',
  (schema, ask) => schema.scalar === undefined && inParts(schema, ask),
);

/** A value as it is spelled: itself when its JSON says no more. */
export function spelled(value: unknown, text: string): unknown {
  if (!isMap(value)) return value;
  const plain = jsonText(value);
  if (plain === text) return value;
  const compact = compacted(text);
  return plain === compact ? value : new Written(value, compact);
}

/** The same of a text. Throws DecodeError. */
export const readSpelled = (text: string): unknown => spelled(readJson(text, 'exact'), text);

/** One walk along a text and its value. */
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
  if (schema === undefined || !holdsJson(schema) || (first !== '{' && first !== '[')) {
    walk.at = endOfValue(text, at);
    return value;
  }
  if (schema.scalar === 'rawExtension') {
    walk.at = endOfValue(text, at);
    return spelled(value, text.slice(at, walk.at));
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
      const end = endOfText(text, next);
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

/** A value of a native type that was just parsed, in place: JSON in it is spelled as in its text, which is valid. */
export function respell<T>(value: T, text: string, schema: Schema): T {
  return holdsJson(schema) ? (visit({ text, at: skipSpace(text, 0) }, value, schema) as T) : value;
}
