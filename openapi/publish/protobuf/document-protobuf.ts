/** Encodes OpenAPI documents in gnostic's protobuf messages: a field is a function from its JSON value to its bytes. */
import type { JsonObject } from '../../../apimachinery/interface.js';
import { type Int64, jsonText } from '../../../lib/json/json.js';
import { Writer } from '../../../lib/protobuf/writer.js';

export type Encode = (value: unknown) => Buffer;
/** Member of the JSON object -> encoder of its field. */
export type Message = Readonly<Record<string, Encode>>;

/** The largest number of bytes of a number and of the head of its field, or of a field's head and length. */
const maxHead = 20;

/** Returns a field with its length: the bytes of a string or of a message. */
export function block(number: number, body: Buffer): Buffer {
  const writer = new Writer(Buffer.allocUnsafe(body.length + maxHead));
  writer.bytes(body);
  writer.varint(body.length);
  writer.varint(number * 8 + 2);
  return writer.finish();
}

function varintField(number: number, value: Int64): Buffer {
  const writer = new Writer(Buffer.allocUnsafe(maxHead));
  writer.varint(value);
  writer.varint(number * 8);
  return writer.finish();
}

/** Encodes the text of any scalar as a field of the type string. */
export const string =
  (number: number): Encode =>
  value =>
    block(number, Buffer.from(String(value)));
/** Encodes a field of the type bool. False is the default of protobuf, and is not written. */
export const boolean =
  (number: number): Encode =>
  value =>
    value === true ? varintField(number, 1) : Buffer.alloc(0);
/** Encodes a field of the type int64. */
export const integer =
  (number: number): Encode =>
  value =>
    varintField(number, value as Int64);
/** Encodes a field of the type double. */
export const double =
  (number: number): Encode =>
  value => {
    const writer = new Writer(Buffer.allocUnsafe(maxHead));
    writer.double(Number(value));
    writer.varint(number * 8 + 1);
    return writer.finish();
  };

/** A value as YAML text; JSON is valid YAML. */
export const any: (number: number) => Encode = number => value => block(number, block(2, Buffer.from(jsonText(value))));

/** Encodes every item of a list as a field of its own, since the fields of messages are not packed. */
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
