/**
 * OpenAPI v3 as `application/com.github.proto-openapi.spec.v3.v1.0+protobuf`. Messages and numbers are those of gnostic's OpenAPIv3.proto
 * (package openapi.v3).
 */
import type { JsonObject } from '../../../apimachinery/interface.js';
import type { Encode, Message } from './document-protobuf.js';
import * as proto from './document-protobuf.js';

const reference: Message = { $ref: proto.string(1), description: proto.string(3) };

/** A value (1), or a reference to it (2). */
const orReference =
  (number: number, encode: (number: number) => Encode): Encode =>
  value =>
    proto.block(number, '$ref' in (value as JsonObject) ? proto.nested(2, () => reference)(value) : encode(1)(value));

/** A map as a message with a list of names and values. */
const mapOf = (number: number, encode: (number: number) => Encode): Encode =>
  proto.wrapped(number, proto.named(1, encode));

const ofType =
  (fields: Message, extension?: number) =>
  (number: number): Encode =>
    proto.nested(number, () => fields, extension);

/** Encodes a default; the message has no fields for objects and lists. */
const defaultValue: Encode = value => {
  if (typeof value === 'number') return proto.double(1)(value);
  if (typeof value === 'boolean') return proto.boolean(2)(value);
  return typeof value === 'string' ? proto.string(3)(value) : Buffer.alloc(0);
};

const plainSchema = (number: number): Encode => proto.nested(number, () => schemaFields, 36);

const schema = (number: number): Encode => orReference(number, plainSchema);

const schemaFields: Message = {
  nullable: proto.boolean(1),
  example: proto.any(7),
  title: proto.string(9),
  multipleOf: proto.double(10),
  maximum: proto.double(11),
  exclusiveMaximum: proto.boolean(12),
  minimum: proto.double(13),
  exclusiveMinimum: proto.boolean(14),
  maxLength: proto.integer(15),
  minLength: proto.integer(16),
  pattern: proto.string(17),
  maxItems: proto.integer(18),
  minItems: proto.integer(19),
  uniqueItems: proto.boolean(20),
  maxProperties: proto.integer(21),
  minProperties: proto.integer(22),
  required: proto.each(proto.string(23)),
  enum: proto.each(proto.any(24)),
  type: proto.string(25),
  allOf: proto.each(schema(26)),
  oneOf: proto.each(schema(27)),
  anyOf: proto.each(schema(28)),
  not: plainSchema(29),
  items: proto.wrapped(30, schema(1)),
  properties: mapOf(31, schema),
  additionalProperties: proto.schemaOrBoolean(32, schema),
  default: proto.wrapped(33, defaultValue),
  description: proto.string(34),
  format: proto.string(35),
};

const content = (number: number): Encode => mapOf(number, ofType({ schema: schema(1) }));

const parameter = (number: number): Encode =>
  orReference(
    number,
    ofType(
      {
        name: proto.string(1),
        in: proto.string(2),
        description: proto.string(3),
        required: proto.boolean(4),
        schema: schema(10),
      },
      14,
    ),
  );

const response = ofType({ description: proto.string(1), content: content(3) });

const operation = ofType(
  {
    tags: proto.each(proto.string(1)),
    summary: proto.string(2),
    description: proto.string(3),
    operationId: proto.string(5),
    parameters: proto.each(parameter(6)),
    requestBody: value =>
      orReference(7, ofType({ description: proto.string(1), content: content(2), required: proto.boolean(3) }))(value),
    responses: proto.wrapped(
      8,
      proto.named(2, number => orReference(number, response)),
    ),
    deprecated: proto.boolean(10),
  },
  13,
);

const pathItem = ofType(
  {
    get: operation(4),
    put: operation(5),
    post: operation(6),
    delete: operation(7),
    options: operation(8),
    head: operation(9),
    patch: operation(10),
    parameters: proto.each(parameter(13)),
  },
  14,
);

const securityScheme = ofType({
  type: proto.string(1),
  description: proto.string(2),
  name: proto.string(3),
  in: proto.string(4),
});

const document: Message = {
  openapi: proto.string(1),
  info: proto.nested(2, () => ({ title: proto.string(1), description: proto.string(2), version: proto.string(6) })),
  paths: proto.wrapped(4, proto.named(1, pathItem)),
  components: proto.nested(5, () => ({
    schemas: mapOf(1, schema),
    securitySchemes: mapOf(7, number => orReference(number, securityScheme)),
  })),
};

/** Returns the protobuf form of a document of `groupVersionDocument`. */
export function openApiV3Protobuf(given: JsonObject): Buffer {
  return proto.message(document, given);
}
