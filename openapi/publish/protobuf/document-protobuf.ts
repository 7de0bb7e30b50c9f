/** Encodes OpenAPI documents in gnostic's protobuf messages: a field is a function from its JSON value to its bytes. */
import type { JsonObject } from '../../../apimachinery/interface.js';
import { type Int64, int64Of, jsonText } from '../../../lib/json/json.js';

export type Encode = (value: unknown) => Buffer;
/** Member of the JSON object -> encoder of its field. */
export type Message = Readonly<Record<string, Encode>>;

/** Encodes a number, which must not be negative. */
function varint(value: Int64): Buffer {
  const bytes: number[] = [];
  let remaining = value;
  for (; typeof remaining === 'bigint'; remaining = int64Of(remaining >> 7n))
    bytes.push(Number(remaining % 128n) + 128);
  for (; remaining > 127; remaining = Math.floor(remaining / 128)) bytes.push((remaining % 128) + 128);
  return Buffer.from([...bytes, remaining]);
}

const tag = (number: number, wire: 0 | 1 | 2): Buffer => varint(number * 8 + wire);
/** Returns a field with its length: the bytes of a string or of a message. */
export const block = (number: number, body: Buffer): Buffer =>
  Buffer.concat([tag(number, 2), varint(body.length), body]);

export const string =
  (number: number): Encode =>
  value =>
    block(number, Buffer.from(String(value)));
export const boolean =
  (number: number): Encode =>
  value =>
    value === true ? Buffer.concat([tag(number, 0), varint(1)]) : Buffer.alloc(0);
export const integer =
  (number: number): Encode =>
  value =>
    Buffer.concat([tag(number, 0), varint(value as Int64)]);
export const double =
  (number: number): Encode =>
  value => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(Number(value));
    return Buffer.concat([tag(number, 1), bytes]);
  };

/** A value as YAML text; JSON is valid YAML. */
export const any: (number: number) => Encode = number => value => block(number, block(2, Buffer.from(jsonText(value))));

export const each =
  (encode: Encode): Encode =>
  value =>
    Buffer.concat((value as readonly unknown[]).map(encode));

/** A message in a field; see `message`. `fields` is a function since messages contain themselves. */
export const nested =
  (number: number, fields: () => Message, extension?: number): Encode =>
  value =>
    block(number, message(fields(), value as JsonObject, extension));

/** A message whose only field, number 1, is the value. */
export const wrapped =
  (number: number, encode: Encode): Encode =>
  value =>
    block(number, encode(value));

/** The value of additionalProperties: a schema (1) or a boolean (2). */
export const schemaOrBoolean =
  (number: number, schema: (number: number) => Encode): Encode =>
  value =>
    wrapped(number, typeof value === 'boolean' ? boolean(2) : schema(1))(value);

/** A map as a list of messages with a name (1) and a value (2). */
export const named =
  (number: number, encode: (number: number) => Encode): Encode =>
  value =>
    Buffer.concat(
      Object.entries(value as JsonObject).map(([name, item]) =>
        block(number, Buffer.concat([string(1)(name), encode(2)(item)])),
      ),
    );

/** Encodes a message. Members that begin with x- go to the field `extension`; members without a field are omitted. */
export function message(fields: Message, value: JsonObject, extension?: number): Buffer {
  const parts = Object.entries(value).flatMap(([key, member]) => {
    const encode = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (encode) return [encode(member)];
    return extension !== undefined && key.startsWith('x-') ? [named(extension, any)({ [key]: member })] : [];
  });
  return Buffer.concat(parts);
}
