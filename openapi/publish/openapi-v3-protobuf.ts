/**
 * OpenAPI v3 as `application/com.github.proto-openapi.spec.v3.v1.0+protobuf`. Messages and numbers of gnostic's OpenAPIv3.proto (package
 * openapi.v3).
 */
import type { JsonObject } from '../interface.js';
import {
  any,
  block,
  boolean,
  double,
  each,
  type Encode,
  integer,
  type Message,
  message,
  named,
  nested,
  string,
  wrapped,
} from './document-protobuf.js';

const reference: Message = { $ref: string(1), description: string(3) };

/** Something that stands there itself (1), or where it is to be found (2). */
const orReference =
  (number: number, encode: (number: number) => Encode): Encode =>
  value =>
    block(number, '$ref' in (value as JsonObject) ? nested(2, () => reference)(value) : encode(1)(value));

/** A map as a message with a list of names and values. */
const mapOf = (number: number, encode: (number: number) => Encode): Encode => wrapped(number, named(1, encode));

const ofType =
  (fields: Message, extension?: number) =>
  (number: number): Encode =>
  value =>
    block(number, message(fields, value as JsonObject, extension));

/** Of a default only what is no object and no list has a form. */
const defaultValue: Encode = value => {
  if (typeof value === 'number') return double(1)(value);
  if (typeof value === 'boolean') return boolean(2)(value);
  return typeof value === 'string' ? string(3)(value) : Buffer.alloc(0);
};

const plainSchema =
  (number: number): Encode =>
  value =>
    block(number, message(schemaFields, value as JsonObject, 36));

const schema = (number: number): Encode => orReference(number, plainSchema);

const schemaFields: Message = {
  nullable: boolean(1),
  example: any(7),
  title: string(9),
  multipleOf: double(10),
  maximum: double(11),
  exclusiveMaximum: boolean(12),
  minimum: double(13),
  exclusiveMinimum: boolean(14),
  maxLength: integer(15),
  minLength: integer(16),
  pattern: string(17),
  maxItems: integer(18),
  minItems: integer(19),
  uniqueItems: boolean(20),
  maxProperties: integer(21),
  minProperties: integer(22),
  required: each(string(23)),
  enum: each(any(24)),
  type: string(25),
  allOf: each(schema(26)),
  oneOf: each(schema(27)),
  anyOf: each(schema(28)),
  not: plainSchema(29),
  items: wrapped(30, schema(1)),
  properties: mapOf(31, schema),
  additionalProperties: value => (typeof value === 'boolean' ? wrapped(32, boolean(2)) : wrapped(32, schema(1)))(value),
  default: wrapped(33, defaultValue),
  description: string(34),
  format: string(35),
};

const content = (number: number): Encode => mapOf(number, ofType({ schema: schema(1) }));

const parameter = (number: number): Encode =>
  orReference(
    number,
    ofType({ name: string(1), in: string(2), description: string(3), required: boolean(4), schema: schema(10) }, 14),
  );

const response = ofType({ description: string(1), content: content(3) });

const operation = ofType(
  {
    tags: each(string(1)),
    summary: string(2),
    description: string(3),
    operationId: string(5),
    parameters: each(parameter(6)),
    requestBody: value =>
      orReference(7, ofType({ description: string(1), content: content(2), required: boolean(3) }))(value),
    responses: wrapped(
      8,
      named(2, number => orReference(number, response)),
    ),
    deprecated: boolean(10),
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
    parameters: each(parameter(13)),
  },
  14,
);

const securityScheme = ofType({ type: string(1), description: string(2), name: string(3), in: string(4) });

const document: Message = {
  openapi: string(1),
  info: nested(2, () => ({ title: string(1), description: string(2), version: string(6) })),
  paths: wrapped(4, named(1, pathItem)),
  components: nested(5, () => ({
    schemas: mapOf(1, schema),
    securitySchemes: mapOf(7, number => orReference(number, securityScheme)),
  })),
};

/** The protobuf form of a document as `groupVersionDocument` makes it. */
export function openApiV3Protobuf(given: JsonObject): Buffer {
  return message(document, given);
}
