/**
 * OpenAPI v2 as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`: the only form in which client-go asks for it. Messages and
 * numbers of gnostic's OpenAPIv2.proto (package openapi.v2).
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

const schema =
  (number: number): Encode =>
  value =>
    block(number, message(schemaFields, value as JsonObject, 31));

const schemaFields: Message = {
  $ref: string(1),
  format: string(2),
  title: string(3),
  description: string(4),
  default: any(5),
  multipleOf: double(6),
  maximum: double(7),
  exclusiveMaximum: boolean(8),
  minimum: double(9),
  exclusiveMinimum: boolean(10),
  maxLength: integer(11),
  minLength: integer(12),
  pattern: string(13),
  maxItems: integer(14),
  minItems: integer(15),
  uniqueItems: boolean(16),
  maxProperties: integer(17),
  minProperties: integer(18),
  required: each(string(19)),
  enum: each(any(20)),
  additionalProperties: value => (typeof value === 'boolean' ? wrapped(21, boolean(2)) : wrapped(21, schema(1)))(value),
  type: wrapped(22, string(1)),
  items: wrapped(23, schema(1)),
  allOf: each(schema(24)),
  properties: wrapped(25, named(1, schema)),
  example: any(30),
};

const bodyParameter: Message = {
  description: string(1),
  name: string(2),
  in: string(3),
  required: boolean(4),
  schema: schema(5),
};
const pathParameter: Message = {
  required: boolean(1),
  in: string(2),
  description: string(3),
  name: string(4),
  type: string(5),
  uniqueItems: boolean(19),
};
const queryParameter: Message = {
  required: boolean(1),
  in: string(2),
  description: string(3),
  name: string(4),
  type: string(6),
  uniqueItems: boolean(20),
};

/** ParametersItem { parameter: Parameter { body_parameter, or non_body_parameter: { query or path } } } */
const parameter =
  (number: number): Encode =>
  value => {
    const place = (value as { in: string }).in;
    const non = (field: number, fields: Message): Encode =>
      wrapped(
        2,
        nested(field, () => fields),
      );
    const encode =
      place === 'body'
        ? nested(1, () => bodyParameter)
        : place === 'path'
          ? non(4, pathParameter)
          : non(3, queryParameter);
    return block(number, wrapped(1, encode)(value));
  };

const response: Message = { description: string(1), schema: wrapped(2, schema(1)) };

const operationFields: Message = {
  tags: each(string(1)),
  summary: string(2),
  description: string(3),
  operationId: string(5),
  produces: each(string(6)),
  consumes: each(string(7)),
  parameters: each(parameter(8)),
  responses: wrapped(
    9,
    named(1, number =>
      wrapped(
        number,
        nested(1, () => response),
      ),
    ),
  ),
  schemes: each(string(10)),
};

const operation =
  (number: number): Encode =>
  value =>
    block(number, message(operationFields, value as JsonObject, 13));

const pathItem: Message = {
  get: operation(2),
  put: operation(3),
  post: operation(4),
  delete: operation(5),
  options: operation(6),
  head: operation(7),
  patch: operation(8),
  parameters: each(parameter(9)),
};

const apiKey: Message = { type: string(1), name: string(2), in: string(3), description: string(4) };

const document: Message = {
  swagger: string(1),
  info: nested(2, () => ({ title: string(1), version: string(2) })),
  paths: wrapped(
    8,
    named(2, number => nested(number, () => pathItem)),
  ),
  definitions: wrapped(9, named(1, schema)),
  security: each(value => block(12, named(1, number => wrapped(number, each(string(1))))(value))),
  securityDefinitions: wrapped(
    13,
    named(1, number =>
      wrapped(
        number,
        nested(2, () => apiKey),
      ),
    ),
  ),
};

/** The protobuf form of a Swagger document as `swaggerDocument` makes it. */
export function swaggerProtobuf(swagger: JsonObject): Buffer {
  return message(document, swagger);
}
