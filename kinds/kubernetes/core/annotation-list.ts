/** Reads lists that annotations contain as JSON. */
import { isInt64, numberValue } from '../../../lib/json/json.js';
import { Literal } from '../../../lib/json/literal.js';
import { jsonType } from '../../../apimachinery/codec/fields.js';
import { ObjectNode, parseStrict, valueOf } from '../../../apimachinery/codec/strict-json.js';

/** The name of a type in Go, and the types of its fields by their names in Go. */
interface GoStruct {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
}

const isWhole = ({ text }: Literal): boolean => /^-?\d+$/.test(text) && isInt64(numberValue(text));

function fits(value: unknown, type: string): boolean {
  if (value === null) return true;
  return type.endsWith('int64') ? value instanceof Literal && isWhole(value) : typeof value === 'string';
}

const foundOf = (value: unknown, type: string): string =>
  value instanceof Literal && type.endsWith('int64') ? `number ${value.text}` : jsonType(value);

const wrongKind = (value: unknown, type: string): Error =>
  new Error(`json: cannot unmarshal ${jsonType(value)} into Go value of type ${type}`);

function itemOf(value: unknown, { name, fields }: GoStruct): Record<string, unknown> {
  if (value === null) return {};
  if (!(value instanceof ObjectNode)) throw wrongKind(value, `core.${name}`);
  const out: Record<string, unknown> = {};
  for (const [key, field] of value.entries) {
    const [goName, type] = Object.entries(fields).find(([known]) => known.toLowerCase() === key.toLowerCase()) ?? [];
    if (goName === undefined || type === undefined) continue;
    if (!fits(field, type))
      throw new Error(
        `json: cannot unmarshal ${foundOf(field, type)} into Go struct field ${name}.${goName} of type ${type}`,
      );
    if (field !== null) out[goName.charAt(0).toLowerCase() + goName.slice(1)] = valueOf(field);
  }
  return out;
}

/** Returns the items with their JSON field names. Throws with Go's text when they cannot be read. */
export function annotationList<T>(text: string, struct: GoStruct): T[] {
  const value = parseStrict(text);
  if (value === null) return [];
  if (!Array.isArray(value)) throw wrongKind(value, `[]core.${struct.name}`);
  return value.map(item => itemOf(item, struct) as T);
}
